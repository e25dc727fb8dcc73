"""Methods for symbol series."""
