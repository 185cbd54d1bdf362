"""Printing: from canonical elements to Unicode text and LaTeX."""
