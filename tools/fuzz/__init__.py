"""Fuzzing by coverage: inputs that reach new lines of a reader are kept and changed again."""
