"""Certificates that a running program equals Lagrange's equations."""

from dalembert.model.certificates.rounding.rounding import Rounding

__all__ = ["Rounding"]
