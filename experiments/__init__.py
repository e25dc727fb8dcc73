"""The papers' tables and figures, rerun on real data; improvements measured beside them."""
