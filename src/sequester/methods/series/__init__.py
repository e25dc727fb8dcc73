"""Methods for series data."""
