"""Events along a motion and the search for their times."""
