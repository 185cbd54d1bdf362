"""Expressions, and values made of them, as text that is data: for pickles and copies."""

from dalembert.expr.data.pack import pack, packable, rebuilt, unpack

__all__ = ["pack", "packable", "rebuilt", "unpack"]
