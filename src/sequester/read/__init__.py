"""From files and databases to the model. A reader's keyword arguments are the command line's column roles."""

READERS: dict[str, str] = {
    "events": "sequester.read.events:read_events",
}
"""Kind of data → `read_…(source, *, …) -> Data`."""
