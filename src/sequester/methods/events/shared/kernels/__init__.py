"""Kernels that several methods for event logs use."""
