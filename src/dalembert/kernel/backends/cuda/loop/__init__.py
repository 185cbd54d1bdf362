"""Loops inside a CUDA kernel."""
