"""Straight-line programs: what they are, how they are traced, checked and interpreted."""
