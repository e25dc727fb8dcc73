"""What the command line and the workbench need beside the public names. It may change at any time."""

from __future__ import annotations

from typing import Any

from sequester.lazy import load

_MODULES = {
    "audits.run": "for_audit",
    "bundle.atomic": "require_free",
    "bundle.bundle": "write_tables",
    "bundle.companions": "protected_by",
    "bundle.contents": "SEAL",
    "engines.dask": "on_dask",
    "engines.spark": "on_spark",
    "engines.steps": "showing step",
    "errors": "as_field as_flag as_key as_sentence counted in_words with_markers spelled",
    "federation.coordinator": "Waiting publish_study study_status=status",
    "federation.identity": "join",
    "federation.site": "accept answer the_home",
    "federation.study": "new_study private_home read_study",
    "federation.transcript": "answered_for",
    "flow": "portraits",
    "in_parts": "expected spoken too_large",
    "kinds": "kind_by_ending",
    "languages": "TONGUES=LANGUAGES language=spoken said speaking",
    "layouts": "copies_of",
    "guarantees.word_list": "LANGUAGES",
    "lazy": "pandas_on_demand",
    "methods": "loadable",
    "options": "EVERYDAY_ROLES FORMER GROUPS PAPER_ROLES options_of",
    "methods.text.k_words.labelling": "LABEL_KINDS=KINDS Labelling",
    "pages.fragment": "before_after findings released side_by_side",
    "pages.frontier": "cell figures_of halves in_order labels line pairs picture plain_name remarks sentence strips",
    "pages.page": "coded unbroken",
    "pages.timeline": "timeline",
    "pages.tour": "tour_page",
    "pages.words": "called count",
    "primitives.notice": "report_to",
    "query.examples": "as_line contents examples",
    "query.limits": "limited",
    "read.databases": "outline",
    "read.memory_needed": "available_memory memory_needed",
    "read.sample_tables": "read_table",
    "release": "shown to_json_text",
    "tuning": "Sweep",
}
"""Module → names in it, `ours=theirs` where they differ. Nothing is loaded before it is used."""
_PLACES = {
    pair.partition("=")[0]: f"sequester.{module}:{pair.rpartition('=')[2]}"
    for module, names in _MODULES.items()
    for pair in names.split()
}


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module 'sequester._shell' has no attribute '{name}'")
    return load(_PLACES[name])
