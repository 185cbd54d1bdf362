"""Certificates that a running program equals Lagrange's equations."""
