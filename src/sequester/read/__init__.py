"""From files and databases to the model. A reader's keyword arguments are the command line's column roles."""

READERS: dict[str, str] = {
    "activity": "sequester.read.activity:read_activities",
    "text": "sequester.read.text:read_corpus",
}
"""Kind of data → `read_…(source, *, …) -> Data`."""
