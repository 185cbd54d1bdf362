"""A priori bounds on the rounding errors of the functions of a model."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from dalembert.errors import EvaluationError
from dalembert.model.certificates.rounding.box import Bounds, InputBox, input_box
from dalembert.model.certificates.rounding.functions import ULPS, relative_error
from dalembert.model.certificates.rounding.subdivide import over_box

if TYPE_CHECKING:
    from dalembert.kernel.program.program import Program
    from dalembert.model.model import Model
    from dalembert.types import Array

WORK = 40_000
"""Instructions over all parts of a box, beyond which the search for a bound ends."""
UNITS = {"tau": "N m", "h": "N m", "g": "N m", "qdd": "rad/s²"}
"""Of outputs, where every joint turns."""


@dataclass(frozen=True, eq=False)
class Rounding:
    """A bound on |float - exact value| of a function, for all inputs in a box.

    The exact value is that of exact arithmetic for the very floats that are put in.

    Attributes:
        function: The name of the function.
        box: Where the inputs are.
        errors: For each output by its name the bounds of its numbers, in its shape and unit; empty
            where none was found.
        parts: Into how many parts the box was divided.
        why: Why no bound was found.
        unit: The unit of the single output, where it is known.
    """

    function: str
    box: InputBox
    errors: Mapping[str, Array] = field(repr=False)
    parts: int
    why: str = ""
    unit: str = ""

    @property
    def is_bounded(self) -> bool:
        """Whether a bound was found."""
        return not self.why

    @property
    def largest(self) -> float:
        """The bound for all outputs; infinite where none was found."""
        if not self.is_bounded:
            return math.inf
        return max((float(x.max()) for x in self.errors.values() if x.size), default=0.0)

    def __str__(self) -> str:
        where = f"for {self.box}" if str(self.box) else "always"
        if not self.is_bounded:
            return f"no bound on the rounding error found {where}: {self.why}"
        if len(self.errors) == 1:
            return f"|error| ≤ {_above(self.largest)}{self.unit and ' ' + self.unit} {where}"
        each = (f"{_above(float(x.max()))} of {k}" for k, x in self.errors.items() if x.size)
        return f"|error| ≤ {', '.join(each)} {where}"


def rounding_of(
    model: Model,
    program: Program,
    bounds: Mapping[str, Bounds] | None = None,
    *,
    work: int = WORK,
) -> Rounding:
    """Return the bound for a program that runs on the backend of a model.

    Args:
        model: Whose limits fill up the box, and whose backend runs the program.
        program: What runs.
        bounds: By input; see `dalembert.model.certificates.rounding.box.input_box`.
        work: How many instructions the search may look at.

    Raises:
        UnknownName: there are bounds for an input that the function does not have.
        EvaluationError: bounds do not fit, or the backend computes in other numbers.
    """
    if model.backend not in ULPS:
        raise EvaluationError(
            f"expected a backend of {', '.join(ULPS)}, whose roundings are known, got "
            f"{model.backend!r}: ask da.compile(..., backend='llvm')"
        )
    if model.dtype != "float64":
        raise EvaluationError(
            f"expected a model in double precision, whose roundings are known, got {model.dtype}: "
            "ask da.compile(..., dtype='float64')"
        )
    box = input_box(program.inputs, model.configuration, bounds)
    found = over_box(program, box.intervals(), relative_error(model.backend), work)
    if found.why:
        return Rounding(program.name, box, {}, found.parts, found.why)
    errors, start = {}, 0
    for port in program.outputs:
        values = np.array(found.errors[start : start + port.size])
        errors[port.name] = values.reshape(port.shape)
        start += port.size
    return Rounding(program.name, box, errors, found.parts, unit=_unit(model, program))


def _unit(model: Model, program: Program) -> str:
    """Return the unit of the only output, if all its numbers have the same."""
    names = [port.name for port in program.outputs]
    if names in (["T"], ["V"], ["E"]):
        return "J"
    docs = (model.description.array_docs() or {}).get("tau")
    turns = docs is not None and all(row.endswith("[N m]") for row in docs.rows)
    return UNITS.get(names[0], "") if turns and len(names) == 1 else ""


def _above(x: float) -> str:
    """Return a number with two digits, not less than it is."""
    if not 0 < x < math.inf:
        return f"{x:g}"
    text = f"{x:.1e}"
    if float(text) < x:
        step = 10.0 ** (math.floor(math.log10(x)) - 1)
        text = f"{x + step:.1e}"
    return text.replace("e-0", "e-").replace("e+0", "e").replace("e+", "e")
