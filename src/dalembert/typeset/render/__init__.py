"""Glyphs: Unicode text and LaTeX."""
