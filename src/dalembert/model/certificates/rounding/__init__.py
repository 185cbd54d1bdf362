"""A priori bounds on the rounding errors of programs."""
