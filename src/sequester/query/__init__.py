"""Answers from the bundle alone. Nothing here can reach an original."""

BUNDLES: dict[str, str] = {
    "events": "sequester.query.events:EventBundle",
    "activity": "sequester.query.activity:ActivityBundle",
    "symbols": "sequester.query.symbols:SymbolBundle",
    "series": "sequester.query.series:SeriesBundle",
    "text": "sequester.query.text:TextBundle",
}
"""Kind of data → the class that adds its queries to `Bundle`."""
