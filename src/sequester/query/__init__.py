"""Answers from the bundle alone. Nothing here can reach an original."""

BUNDLES: dict[str, str] = {
    "text": "sequester.query.text:TextBundle",
}
"""Kind of data → the class that adds its queries to `Bundle`."""
