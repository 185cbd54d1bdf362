"""Forces of rows in given modes, and between bounds."""
