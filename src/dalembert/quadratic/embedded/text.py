"""The solver in C for one size: definitions, then the text of `active_set.c` as it stands."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import NamedTuple

TOLERANCES = {"double": "1e-9", "float": "2e-5f"}
"""By how much a condition may be exceeded, beside the terms that it is the sum of."""

ROOTS = {"double": "sqrt", "float": "sqrtf"}


class QuadraticSizes(NamedTuple):
    """How many unknowns and rows a program has; more than none of both."""

    unknowns: int
    rows: int

    @property
    def conditions(self) -> int:
        """Bounds and rows together."""
        return self.unknowns + self.rows


def workspace_fields(sizes: QuadraticSizes, real: str) -> list[tuple[str, str]]:
    """Return the fields of the workspace that the solver uses, with what they are.

    >>> workspace_fields(QuadraticSizes(2, 1), "double")[0]
    ('double H[4]', "cost x'Hx/2 + f'x, row by row")
    """
    n, m = sizes
    # C has no arrays of length zero
    rows, conditions = max(m, 1) * n, sizes.conditions
    return [
        (f"{real} H[{n * n}]", "cost x'Hx/2 + f'x, row by row"),
        (f"{real} f[{n}]", "cost"),
        (f"{real} A[{rows}]", f"{m} rows, row by row"),
        (f"{real} lower[{conditions}]", "bounds of x, then of Ax"),
        (f"{real} upper[{conditions}]", "equal to lower for an equation"),
        (f"{real} x[{n}]", "the solution"),
        (f"{real} u[{n + 1}]", "multipliers of the active conditions"),
        (f"int set[{n + 1}]", "the active conditions"),
        (f"int sign[{n + 1}]", "their sides: 1 at the lower bound, -1 at the upper"),
        ("int active", "how many there are"),
        (f"{real} J[{n * n}]", "memory of the solver"),
        (f"{real} R[{n * n}]", "memory of the solver"),
        (f"{real} d[{n}]", "memory of the solver"),
        (f"{real} z[{n}]", "memory of the solver"),
        (f"{real} r[{n}]", "memory of the solver"),
    ]


def solver_text(sizes: QuadraticSizes, real: str, workspace: str) -> str:
    """Return the solver in C99 as static functions, ``int qp_solve(workspace *w)`` the last one.

    Args:
        sizes: Of the program.
        real: "double" or "float".
        workspace: The type of the workspace, with the fields of `workspace_fields`.
    """
    literal = "1e30f" if real == "float" else "1e30"
    return "\n".join(
        [
            f"#define QP_UNKNOWNS {sizes.unknowns}",
            f"#define QP_ROWS {sizes.rows}",
            f"#define QP_REAL {real}",
            f"#define QP_SQRT {ROOTS[real]}",
            f"#define QP_TOLERANCE {TOLERANCES[real]}",
            f"#define QP_UNBOUNDED {literal}",
            f"#define QP_WORK {workspace}",
            "",
            _text(),
        ]
    )


@cache
def _text() -> str:
    return (Path(__file__).parent / "active_set.c").read_text(encoding="ascii")
