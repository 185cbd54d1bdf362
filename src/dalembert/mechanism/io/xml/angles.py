"""Angles that a file gives by a few digits of a multiple of π/4."""

from __future__ import annotations

import math
from collections.abc import Sequence

from dalembert.mechanism.io.xml.decimals import Number
from dalembert.mechanism.io.xml.diagnosis import Report

# fewer digits are a number of their own; with more the double is the multiple itself
FEWEST, MOST = 2, 15
WHOLE_QUARTERS = 2


def read_angles(report: Report, angles: Sequence[Number], line: int) -> list[float]:
    """Return angles in rad; few digits of a multiple of π/4 are that multiple where repaired.

    Otherwise they are read as they are written, and counted in the report.
    """
    return [_read(report, angle, line) for angle in angles]


def _read(report: Report, angle: Number, line: int) -> float:
    meant = multiple_meant(angle)
    if meant is None:
        return float(angle)
    text = "angles that are few digits of a multiple of π/4"
    if "angles" in report.repairs:
        report.tally(text, line, "made exact")
        return meant
    report.tally(f"{text}, which repair={{'angles'}} makes exact", line, "left as they are")
    return float(angle)


def multiple_meant(angle: Number) -> float | None:
    """Return the multiple of π/4 that a decimal number is, rounded or cut off to its digits.

    Two digits may stand for a multiple of π/2 only.

    >>> from fractions import Fraction
    >>> multiple_meant(Fraction("1.5708")), multiple_meant(Fraction("1.5")), multiple_meant(3)
    (1.5707963267948966, None, None)
    """
    digits = _digits(angle)
    if digits is None or not FEWEST <= digits <= MOST:
        return None
    step = math.pi / (2 if digits <= WHOLE_QUARTERS else 4)
    k = round(float(angle) / step)
    meant = k * step
    # what is missing, in units of the last digit: 1.5708 is rounded, 3.1415 cut off
    missing = (abs(meant) - abs(float(angle))) * 10.0**digits
    return meant if k and -0.5 <= missing < 1 else None


def _digits(x: Number) -> int | None:
    """Return how many digits behind the point a decimal number has; None beyond `MOST`."""
    for digits in range(MOST + 1):
        if x * 10**digits % 1 == 0:
            return digits
    return None
