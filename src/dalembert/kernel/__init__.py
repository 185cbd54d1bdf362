"""Straight-line programs, their passes and the machines that run them."""
