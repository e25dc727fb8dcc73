"""What the command line and the workbench need beside the public names. It may change at any time."""

from __future__ import annotations

from typing import Any

from sequester.lazy import load

_MODULES = {
    "audits.run": "for_audit",
    "bundle.atomic": "require_free",
    "engines.dask": "on_dask",
    "engines.spark": "on_spark",
    "engines.stages": "showing stage",
    "errors": "as_field as_flag counted in_words retold spelled",
    "flow": "portraits",
    "in_parts": "expected spoken too_large",
    "kinds": "kind_by_ending",
    "layouts": "copies_of",
    "guarantees.word_list": "LANGUAGES",
    "lazy": "pandas_on_demand",
    "methods": "loadable",
    "options": "EVERYDAY_ROLES FORMER GROUPS PAPER_ROLES options_of",
    "methods.text.k_words.labelling": "LABEL_KINDS=KINDS Labelling",
    "pages.attacks": "setting_kept setting_risk",
    "pages.fragment": "before_after findings released side_by_side",
    "pages.frontier": "better_side frontier_picture=picture measures of_attack one_attack",
    "pages.page": "coded unbroken",
    "pages.tour": "tour_page",
    "pages.words": "count",
    "primitives.notice": "report_to",
    "query.examples": "as_line contents examples",
    "query.limits": "limited",
    "read.databases": "outline",
    "read.memory_needed": "available_memory memory_needed",
    "release": "shown to_json_text",
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
