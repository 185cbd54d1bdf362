"""Derivatives of inverse and forward dynamics."""
