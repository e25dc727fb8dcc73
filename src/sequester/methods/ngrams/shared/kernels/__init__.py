"""Compiled loops of the n-gram methods."""
