"""Sets of points: the rows of a study."""
