"""The formats of a report."""
