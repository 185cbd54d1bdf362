"""Compare generated code with the programs it was made of, before anybody gets it."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING

from dalembert.errors import EvaluationError, ParseError
from dalembert.model.source.checks.points import Sample, samples
from dalembert.model.source.checks.rolled import rolled_samples
from dalembert.model.source.checks.runs import Run, runs

if TYPE_CHECKING:
    from dalembert.kernel.backends.c.header import CSource
    from dalembert.kernel.program.program import Program
    from dalembert.mechanism import Mechanism

RTOL = 1e-9
"""Difference of a text, as part of the largest number of an output."""

ERROR_FACTOR = 64
"""How often the rounding error of the program's own order may be met in the text."""

ROUNDING = 1e-13
"""Difference as part of the largest number on the way, which an output may have lost."""

MAX_LOSS = 1e-6
"""Error of doubles, as part of an output, above which code is not handed over."""


def check_code(
    language: str,
    made: CSource | str,
    programs: Sequence[Program],
    prefix: str,
    dtype: str,
    q: Sequence[Sequence[float]] = (),
) -> None:
    """Run a text and compare it with its programs at random points.

    Args:
        language: "c", "casadi", "cuda", "python" or "matlab".
        made: The text.
        programs: What each of its functions computes, in order.
        prefix: Of names in C.
        dtype: In which constants are rounded.
        q: Configurations, where a robot has quaternions.

    Raises:
        EvaluationError: The text cannot be run, computes something else, or loses most digits.
    """
    try:
        found = runs(language, made, programs, prefix)
    except ParseError as error:
        raise EvaluationError(f"expected {language} that can be run, got: {error}") from None
    for program, run in zip(programs, found, strict=True):
        outputs = [port.name for port in program.outputs]
        points = list(samples(program, dtype, q))
        _compare(language, program.name, outputs, run, points)
        _check_digits(language, program.name, outputs, points)


def check_rolled(
    made: CSource,
    mechanism: Mechanism,
    functions: Sequence[str],
    prefix: str,
    q: Sequence[Sequence[float]],
) -> None:
    """Run rolled C and compare it with the recursions over floats.

    Raises:
        EvaluationError: It cannot be run, or computes something else.
    """
    for name, run, found in rolled_samples(made, mechanism, functions, prefix, q):
        _compare("rolled C", name, ["output"] * 2, run, found)


def _compare(
    language: str, name: str, outputs: Sequence[str], run: Run, points: Sequence[Sample]
) -> None:
    """Compare a function at points; a difference is an error."""
    if not points:
        warnings.warn(
            f"{name} in {language} was not checked: no point was found where it is finite",
            stacklevel=2,
        )
    for sample in points:
        values = run([list(x) for x in sample.inputs])
        for output, found, truth, error in zip(
            outputs, values, sample.truth, sample.error, strict=False
        ):
            scale = max(map(abs, truth), default=0.0)
            allowed = RTOL * scale + ERROR_FACTOR * error + ROUNDING * sample.largest
            worst = max(range(len(truth)), key=lambda i: _gap(found[i], truth[i]), default=None)
            if worst is not None and not _gap(found[worst], truth[worst]) <= allowed:
                raise EvaluationError(
                    f"expected {name} in {language} to compute what the model does, got "
                    f"{found[worst]:.6g} instead of {truth[worst]:.6g} for entry {worst + 1} of "
                    f"{output}: nothing is written; report this as a fault of dalembert"
                )


def _gap(a: float, b: float) -> float:
    return abs(a - b) if math.isfinite(a) else math.inf


def _check_digits(
    language: str, name: str, outputs: Sequence[str], points: Sequence[Sample]
) -> None:
    """Raise for a program whose own floats are wrong at most points."""
    for k, output in enumerate(outputs):
        losses = [
            sample.error[k] / max(map(abs, sample.truth[k]), default=0.0)
            for sample in points
            if k < len(sample.truth) and any(sample.truth[k])
        ]
        usual = sorted(losses)[len(losses) // 2] if losses else 0.0
        if usual > MAX_LOSS:
            raise EvaluationError(
                f"expected {output} of {name} in {language} to keep at least six digits, got an "
                f"error of {usual:.1g} of its size: its terms cancel in floats; use a "
                "function of the compiled model"
            )
