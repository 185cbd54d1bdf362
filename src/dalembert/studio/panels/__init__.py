"""The controls, one tab in each file."""
