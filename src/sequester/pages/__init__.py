"""Self-contained pages: one for the public, one for the custodian."""
