"""Named parts: what is long or occurs twice gets a letter and a line of its own."""
