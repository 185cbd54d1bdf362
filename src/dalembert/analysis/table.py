"""Results as text in columns."""

from __future__ import annotations

from collections.abc import Sequence


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return columns under a header, numbers to the right, the first column to the left.

    >>> print(table(("joint", "torque"), [("shoulder", "12.5"), ("elbow", "3")]))
    joint     torque
    shoulder    12.5
    elbow          3
    """
    lines = [tuple(header), *map(tuple, rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(
        "  ".join(
            text.ljust(width) if k == 0 else text.rjust(width)
            for k, (text, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )


def numbers(values: Sequence[float], digits: int = 3) -> str:
    """Return a short row of numbers.

    >>> numbers([0.5, -1.25])
    '(0.500, -1.250)'
    """
    return f"({', '.join(f'{float(x):.{digits}f}' for x in values)})"
