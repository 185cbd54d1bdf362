"""Where a system can rest: exact and numerical equilibria, and whether they are stable."""
