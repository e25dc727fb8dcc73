"""From files and databases to the model. A reader's keyword arguments are the command line's column roles."""

READERS: dict[str, str] = {
    "symbols": "sequester.read.symbols:read_symbols",
    "activity": "sequester.read.activity:read_activities",
    "series": "sequester.read.series:read_series",
    "text": "sequester.read.text:read_corpus",
    "events": "sequester.read.events:read_events",
}
"""Kind of data → `read_…(source, *, …) -> Data`."""
