"""Bounds on what is read: a text is data, and reading it takes little time and memory."""

MAX_LENGTH = 100_000
"""Characters of a text."""

MAX_DEPTH = 200
"""Brackets inside each other."""

MAX_DIGITS = 400
"""Digits of a number, and the size of its decimal exponent."""

MAX_EXPONENT = 1000
"""Size of an exponent, and of its denominator."""

MAX_BITS = 4000
"""Bits of any rational constant, also of one that folding makes."""

MAX_NAME = 100
"""Characters of a name."""

MAX_RATE = 10
"""Time derivatives of one coordinate."""

MAX_GROWTH = 200_000
"""Nodes that the derivatives in one text may be taken of, all together."""
