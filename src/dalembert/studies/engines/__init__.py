"""Where the rows of a study are computed."""
