"""Differential privacy: noise, its gate, its ledger, and where randomness comes from."""
