"""Where expressions meet the objects of other packages."""
