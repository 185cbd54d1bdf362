"""Motion in time: constrained, without drift, with an account of its energy."""
