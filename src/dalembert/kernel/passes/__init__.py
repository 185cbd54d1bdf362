"""Passes: each takes a program and returns an equal one that is cheaper to run."""
