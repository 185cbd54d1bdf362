"""Calling machine code from arrays, on one or several threads."""
