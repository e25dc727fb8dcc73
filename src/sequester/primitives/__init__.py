"""Algorithms that know nothing of privacy: arrays in, arrays out."""
