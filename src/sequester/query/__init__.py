"""Answers from the bundle alone. Nothing here can reach an original."""

BUNDLES: dict[str, str] = {
    "text": "sequester.query.text:TextBundle",
    "series": "sequester.query.series:SeriesBundle",
    "activity": "sequester.query.activity:ActivityBundle",
    "events": "sequester.query.events:EventBundle",
    "symbols": "sequester.query.symbols:SymbolBundle",
}
"""Kind of data → the class that adds its queries to `Bundle`."""
