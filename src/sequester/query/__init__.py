"""Answers from the bundle alone. Nothing here can reach an original."""
