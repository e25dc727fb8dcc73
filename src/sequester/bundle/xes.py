"""A published event log as XES (IEEE 1849), the exchange format of process mining."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING
from xml.sax.saxutils import quoteattr

if TYPE_CHECKING:
    import pyarrow as pa

HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<log xes.version="1.0" xes.features="" xmlns="http://www.xes-standard.org/">
\t<extension name="Concept" prefix="concept" uri="http://www.xes-standard.org/concept.xesext"/>
\t<extension name="Time" prefix="time" uri="http://www.xes-standard.org/time.xesext"/>
\t<global scope="trace"><string key="concept:name" value=""/></global>
\t<global scope="event"><string key="concept:name" value=""/></global>
\t<classifier name="Event" keys="concept:name"/>
"""


def write_xes(table: pa.Table, path: Path) -> int:
    """Write `object`, `time`, `state` as traces and events; returns the number of events.

    Times are written without a zone, as they stand. Where only the order is known, events carry no time.
    """
    import pyarrow as pa

    clock = not pa.types.is_integer(table["time"].type)
    now: int | None = None
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.write(HEAD)
        for batch in table.select(["object", "time", "state"]).to_batches(max_chunksize=50_000):
            times = batch["time"].cast(pa.timestamp("s"), safe=False).to_pylist() if clock else [None] * len(batch)
            for number, time, state in zip(batch["object"].to_pylist(), times, batch["state"].to_pylist(), strict=True):
                if number != now:
                    file.write(("\t</trace>\n" if now is not None else "") + "\t<trace>\n")
                    file.write(f'\t\t<string key="concept:name" value="{number}"/>\n')
                    now = number
                when = f'<date key="time:timestamp" value="{time.isoformat()}"/>' if time is not None else ""
                file.write(f'\t\t<event><string key="concept:name" value={_quoted(state)}/>{when}</event>\n')
        file.write(("\t</trace>\n" if now is not None else "") + "</log>\n")
    return int(table.num_rows)


def is_log(table: pa.Table) -> bool:
    """Whether a table is an event log."""
    return list(table.column_names) == ["object", "time", "state"]


def spelled(text: str) -> str:
    """A state's name as XML can hold it: it knows no control characters, not even escaped ones."""
    return "".join(c if c >= " " or c in "\t\n\r" else "\ufffd" for c in text)


def _quoted(text: str) -> str:
    return quoteattr(spelled(text))
