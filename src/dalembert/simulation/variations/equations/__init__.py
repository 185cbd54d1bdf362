"""The linear equations of changes: of free motions, and on constraints."""
