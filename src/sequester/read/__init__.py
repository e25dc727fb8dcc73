"""From files and databases to the model. A reader's keyword arguments are the command line's column roles."""

READERS: dict[str, str] = {
    "text": "sequester.read.text:read_corpus",
    "series": "sequester.read.series:read_series",
    "activity": "sequester.read.activity:read_activities",
    "events": "sequester.read.events:read_events",
    "symbols": "sequester.read.symbols:read_symbols",
}
"""Kind of data → `read_…(source, *, …) -> Data`."""
