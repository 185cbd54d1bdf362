"""What the search for sign changes reads and writes: the places of a table and of its numbers."""

from __future__ import annotations

X, RADII, RATES, RATE_RADII, BOUNDS = range(0, 10, 2)
"""Arrays of the program of bounds, each with its stride behind it."""

(
    PROGRAM,
    NUMBERS,
    TIMES,
    SERIES,
    ORDER_BYTES,
    STEP_BYTES,
    DEGREE,
    COLUMNS,
    NUM_COLUMNS,
    BENDS,
    READINGS,
    FOUND,
    NUM_ENTRIES,
    ROOM,
    STEP,
    REASON,
    IS_INSIDE,
) = range(10, 27)
"""Further words of the table.

``PROGRAM`` is the address of the program's entry. ``SERIES`` has coefficients of powers of the time
since the start of each step, ``STEP_BYTES`` from one step and ``ORDER_BYTES`` from one order to the
next. ``COLUMNS`` are the entries of the state that the quantity depends on; ``BENDS`` has bounds of
their second and third derivatives in a step. ``READINGS`` takes value, rate, noise and side at
the start of every step, ``FOUND`` has ``ROOM`` for sign changes: time, side after it, step, and
``NUM_ENTRIES`` of the state. ``STEP`` and ``REASON`` tell where the search ended and why;
``IS_INSIDE`` tells that the next one goes on inside that step.
"""

SIZE = 27

SIDE, LAST_TIME, LAST_VALUE, LAST_RATE, ARRIVAL_NOISE, STOP, NOISE, PLACE, KNOWN = range(9)
"""Places of the numbers.

``SIDE`` of zero, 0 if it is not known; time, value and rate at the start of the step before, of
which noise is a part; ``ARRIVAL_NOISE`` is added to that of the first step. A sign change to the
side ``STOP`` ends the search, to either if it is 0, to none if it is `NEVER`. ``PLACE`` is how far
the step under way has been looked at, ``KNOWN`` how far the side is known, both in seconds.
"""

NUM_NUMBERS = 9

NEVER = 2.0
