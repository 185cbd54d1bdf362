"""Programs run by NumPy, instruction by instruction."""
