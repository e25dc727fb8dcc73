"""`sequester demo [--out DIR]`."""
