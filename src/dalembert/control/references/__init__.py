"""Reference motions and paths."""
