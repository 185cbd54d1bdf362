"""Derivatives of inverse dynamics by q, q̇ and q̈."""
