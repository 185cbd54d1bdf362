"""Power series in time."""
