"""Compiled functions of any expressions as C, with text around them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.errors import EvaluationError
from dalembert.kernel.backends.c.flat import source as flat
from dalembert.kernel.backends.c.header import Addition, CSource, comment, file_stem
from dalembert.model.source.checks.runs import Run, runs

if TYPE_CHECKING:
    from dalembert.kernel.call.kernel import Kernel
    from dalembert.types import Array

RTOL = 1e-9
"""Difference of the text, as part of the largest number of an output."""


def kernels_source(
    kernels: Mapping[str, Kernel],
    prefix: str,
    samples: Mapping[str, Sequence[Array]],
    *,
    what: str = "",
    types: str = "",
    declarations: Mapping[str, str] | None = None,
    definitions: str = "",
) -> CSource:
    """Return C99 with one function ``prefix_name`` for each kernel, in double precision.

    Args:
        kernels: Functions by name.
        prefix: Of all names, and of the files.
        samples: For each function its inputs at some points, one array ``(points, ...)`` for each:
            there the text is run and compared.
        what: What the first comment calls it.
        types: Types that the header defines first.
        declarations: What the header declares besides: comments by declarations.
        definitions: Their definitions, behind those of the kernels; `{stem}` is their prefix.

    Raises:
        EvaluationError: the text computes something else.
    """
    programs = [replace(kernel.program, name=name) for name, kernel in kernels.items()]
    stem = file_stem(prefix)
    alone = flat(programs, prefix=prefix, robot=what)
    for name, run in zip(kernels, runs("c", alone, programs, prefix), strict=True):
        _check(name, kernels[name], run, samples[name])
    declared = "".join(
        f"\n{comment([text])}\n{line.replace('{stem}', stem)};\n"
        for line, text in (declarations or {}).items()
    )
    more = Addition(types.replace("{stem}", stem), declared, definitions.replace("{stem}", stem))
    return flat(programs, prefix=prefix, robot=what, more=more)


def _check(name: str, kernel: Any, run: Run, inputs: Sequence[Array]) -> None:
    for point in zip(*inputs, strict=True):
        found = run([np.ravel(x).tolist() for x in point])
        expected = kernel(*point)
        expected = expected if isinstance(expected, tuple) else (expected,)
        for text, compiled in zip(found, expected, strict=True):
            wanted = np.ravel(compiled)
            if not np.abs(np.array(text) - wanted).max() <= RTOL * (1 + np.abs(wanted).max()):
                raise EvaluationError(
                    f"expected C of {name} that computes {wanted}, got {text}: please report this"
                )
