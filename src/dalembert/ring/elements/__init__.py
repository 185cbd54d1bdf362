"""Elements of a ring: sums of fractions, and how it is decided whether one is zero."""
