"""Seeded generators of small, realistic data of all five kinds: for the demo, the docs and the tests."""

SAMPLES: dict[str, str] = {
    "activity": "sequester.samples.minutes:minutes",
    "text": "sequester.samples.notes:notes",
}
"""Kind of data → its generator, `sample(*, n_people, seed) -> Data`."""
