"""What the command line and the workbench need beside the public names. It may change at any time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sequester.lazy import load

if TYPE_CHECKING:
    from sequester.audits.run import for_audit as for_audit
    from sequester.bundle.atomic import require_free as require_free
    from sequester.bundle.atomic import require_writable as require_writable
    from sequester.engines.dask import on_dask as on_dask
    from sequester.engines.spark import on_spark as on_spark
    from sequester.engines.stages import showing as showing
    from sequester.engines.stages import stage as stage
    from sequester.errors import as_field as as_field
    from sequester.errors import as_flag as as_flag
    from sequester.errors import counted as counted
    from sequester.errors import retold as retold
    from sequester.errors import spelled as spelled
    from sequester.expectation import expected as expected
    from sequester.expectation import spoken as spoken
    from sequester.flow import portraits as portraits
    from sequester.flow import require_outside as require_outside
    from sequester.in_parts import require_in_parts as require_in_parts
    from sequester.kinds import kind_by_columns as kind_by_columns
    from sequester.kinds import kind_by_ending as kind_by_ending
    from sequester.layouts import copies_of as copies_of
    from sequester.lazy import pandas_on_demand as pandas_on_demand
    from sequester.methods import loadable as loadable
    from sequester.pages.attacks import setting_kept as setting_kept
    from sequester.pages.attacks import setting_risk as setting_risk
    from sequester.pages.fragment import before_after as before_after
    from sequester.pages.fragment import findings as findings
    from sequester.pages.fragment import released as released
    from sequester.pages.fragment import side_by_side as side_by_side
    from sequester.pages.frontier import better_side as better_side
    from sequester.pages.frontier import measures as measures
    from sequester.pages.frontier import of_attack as of_attack
    from sequester.pages.frontier import one_attack as one_attack
    from sequester.pages.page import coded as coded
    from sequester.pages.page import unbroken as unbroken
    from sequester.pages.tour import tour_page as tour_page
    from sequester.pages.words import count as count
    from sequester.primitives.notice import report_to as report_to
    from sequester.query.examples import as_line as as_line
    from sequester.query.examples import contents as contents
    from sequester.query.examples import examples as examples
    from sequester.read.databases import outline as outline
    from sequester.read.memory_needed import available_memory as available_memory
    from sequester.read.memory_needed import memory_needed as memory_needed
    from sequester.release import shown as shown
    from sequester.release import to_json_text as to_json_text

_PLACES = {
    "on_dask": "sequester.engines.dask:on_dask",
    "on_spark": "sequester.engines.spark:on_spark",
    "memory_needed": "sequester.read.memory_needed:memory_needed",
    "available_memory": "sequester.read.memory_needed:available_memory",
    "require_in_parts": "sequester.in_parts:require_in_parts",
    "as_field": "sequester.errors:as_field",
    "counted": "sequester.errors:counted",
    "as_flag": "sequester.errors:as_flag",
    "coded": "sequester.pages.page:coded",
    "count": "sequester.pages.words:count",
    "as_line": "sequester.query.examples:as_line",
    "contents": "sequester.query.examples:contents",
    "examples": "sequester.query.examples:examples",
    "before_after": "sequester.pages.fragment:before_after",
    "better_side": "sequester.pages.frontier:better_side",
    "copies_of": "sequester.layouts:copies_of",
    "expected": "sequester.expectation:expected",
    "findings": "sequester.pages.fragment:findings",
    "frontier_picture": "sequester.pages.frontier:picture",
    "for_audit": "sequester.audits.run:for_audit",
    "kind_by_columns": "sequester.kinds:kind_by_columns",
    "kind_by_ending": "sequester.kinds:kind_by_ending",
    "loadable": "sequester.methods:loadable",
    "measures": "sequester.pages.frontier:measures",
    "of_attack": "sequester.pages.frontier:of_attack",
    "one_attack": "sequester.pages.frontier:one_attack",
    "outline": "sequester.read.databases:outline",
    "portraits": "sequester.flow:portraits",
    "released": "sequester.pages.fragment:released",
    "require_free": "sequester.bundle.atomic:require_free",
    "require_outside": "sequester.flow:require_outside",
    "require_writable": "sequester.bundle.atomic:require_writable",
    "pandas_on_demand": "sequester.lazy:pandas_on_demand",
    "retold": "sequester.errors:retold",
    "showing": "sequester.engines.stages:showing",
    "setting_kept": "sequester.pages.attacks:setting_kept",
    "setting_risk": "sequester.pages.attacks:setting_risk",
    "shown": "sequester.release:shown",
    "side_by_side": "sequester.pages.fragment:side_by_side",
    "spelled": "sequester.errors:spelled",
    "spoken": "sequester.expectation:spoken",
    "stage": "sequester.engines.stages:stage",
    "to_json_text": "sequester.release:to_json_text",
    "report_to": "sequester.primitives.notice:report_to",
    "tour_page": "sequester.pages.tour:tour_page",
    "unbroken": "sequester.pages.page:unbroken",
}


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module 'sequester._shell' has no attribute '{name}'")
    return load(_PLACES[name])
