"""Angles that a file gives by a few digits of a multiple of π/4."""

from __future__ import annotations

import math
from collections.abc import Sequence

from dalembert.mechanism.io.xml.decimals import Number
from dalembert.mechanism.io.xml.diagnosis import Report

# fewer digits are a number of their own; with more the double is the multiple itself
FEWEST, MOST = 2, 15
WHOLE_QUARTERS = 2


_FEW_DIGITS = "angles that are few digits of a multiple of π/4"
_LEFT = "left as they are"
_REPAIR = f"{_FEW_DIGITS}, which repair={{'angles'}} makes exact"


def read_angles(report: Report, angles: Sequence[Number], line: int, owner: str) -> list[float]:
    """Return angles in rad; few digits of a multiple of π/4 are that multiple where repaired.

    Otherwise they are read as they are written, and counted in the report.
    """
    return [_read(report, angle, line, owner) for angle in angles]


def _read(report: Report, angle: Number, line: int, owner: str) -> float:
    meant = multiple_meant(angle)
    if meant is None:
        return float(angle)
    if "angles" in report.repairs:
        report.tally(_FEW_DIGITS, line, "made exact", owner)
        return meant
    report.tally(_REPAIR, line, _LEFT, owner)
    return float(angle)


def rounded_angles(notes: Sequence[str]) -> str:
    """Return whose angles were left as few digits, of the notes of a reading; or nothing.

    Those of shapes are not among them: they are only looked at.

    >>> rounded_angles([f"{_LEFT} {_REPAIR} (at line 2): joint 'j' at line 2"])
    "joint 'j' at line 2"
    """
    for note in notes:
        if note.startswith(f"{_LEFT} {_REPAIR} ("):
            return note.partition("): ")[2]
    return ""


def repaired_angles(notes: Sequence[str]) -> str:
    """Return the note that says which angles were made exact; or nothing."""
    return next((note for note in notes if note.startswith(f"made exact {_FEW_DIGITS}")), "")


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
