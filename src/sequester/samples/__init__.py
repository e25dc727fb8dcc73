"""Seeded generators of small, realistic data of all five kinds: for the demo, the docs and the tests."""

SAMPLES: dict[str, str] = {
    "symbols": "sequester.samples.ecg:ecg",
    "activity": "sequester.samples.minutes:minutes",
    "series": "sequester.samples.vitals:vitals",
    "text": "sequester.samples.notes:notes",
    "events": "sequester.samples.wards:wards",
}
"""Kind of data → its generator, `sample(*, n_people, seed) -> Data`."""
