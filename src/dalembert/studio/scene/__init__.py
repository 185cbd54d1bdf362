"""What stands in the picture."""
