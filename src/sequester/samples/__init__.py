"""Seeded generators of small, realistic data of all five kinds: for the demo, the docs and the tests."""

SAMPLES: dict[str, str] = {
    "events": "sequester.samples.wards:wards",
}
"""Kind of data → its generator, `sample(*, n_people, seed) -> Data`."""
