"""Seeded generators of small, realistic data of all five kinds: for the demo, the docs and the tests."""

SAMPLES: dict[str, str] = {
    "text": "sequester.samples.notes:notes",
    "series": "sequester.samples.vitals:vitals",
    "activity": "sequester.samples.minutes:minutes",
    "events": "sequester.samples.wards:wards",
    "symbols": "sequester.samples.ecg:ecg",
}
"""Kind of data → its generator, `sample(*, n_people, seed) -> Data`."""
