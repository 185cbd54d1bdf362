"""Reports on everything, opened in a browser and looked at: `python -m tools.reports`."""
