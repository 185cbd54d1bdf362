"""Impulses of contacts."""
