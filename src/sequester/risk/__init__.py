"""How identifying is the original? Private evidence, before anything is published."""
