"""A custodian's signature below a bundle: made and checked with keys people have (OpenSSH, Ed25519)."""
