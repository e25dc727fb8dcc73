"""Seeded generators of small, realistic data of every kind: for the demo, the docs and the tests."""
