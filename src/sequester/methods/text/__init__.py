"""Methods for text data."""
