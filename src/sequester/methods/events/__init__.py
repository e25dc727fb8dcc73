"""Methods for events data."""
