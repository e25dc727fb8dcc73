"""Array programs and compiled loops of this method."""
