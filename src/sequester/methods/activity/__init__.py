"""Methods for activity data."""
