"""The bundle: written whole or not at all."""
