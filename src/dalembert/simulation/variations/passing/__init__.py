"""The events of a motion, and how changes pass them."""
