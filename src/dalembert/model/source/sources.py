"""Generated code of a model, for other programs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

from dalembert.errors import UnknownName, nearest

if TYPE_CHECKING:
    from dalembert.kernel.backends.c.header import CSource
    from dalembert.model.model import Model

Chosen: TypeAlias = Sequence[str | tuple[str, Mapping[str, object]]]
"""Names of a model's functions, with options as ``("jacobian", {"frame": "tip"})``."""

LANGUAGES = ("c", "rolled_c", "cuda", "llvm")
FUNCTIONS = ("inverse_dynamics", "mass_matrix", "forward_dynamics")


def source(
    model: Model,
    language: str = "c",
    *,
    functions: Chosen = FUNCTIONS,
    prefix: str | None = None,
    dtype: str | None = None,
) -> CSource | str:
    """Return generated code: the same programs that the model runs.

    Args:
        model: What to write.
        language: "c" gives a `CSource` with ``.header``, ``.source`` and ``.save(folder)``;
            "rolled_c" the same with loops over joints, small at any number of them, for
            microcontrollers; "cuda" and "llvm" give text, one kernel after the other.
        functions: Names of the model's functions; with options as ``("jacobian", {"frame": …})``.
        prefix: Of the names in C; the name of the robot unless given.
        dtype: "float64" or "float32"; unless given, the first for C, the second for CUDA.

    Raises:
        UnknownName: another language, or a function that the model does not have.
        InvalidMechanism: rolled C of a system, which has no joints to loop over.
    """
    chosen = [(f, {}) if isinstance(f, str) else f for f in functions]
    if language == "rolled_c":
        from dalembert.model.source.rolled_c.source import rolled_source

        names = [name for name, _ in chosen]
        return rolled_source(
            model.mechanism, names, prefix=prefix or model.name, dtype=dtype or "float64"
        )
    if language not in LANGUAGES:
        raise UnknownName(
            f"expected a language of {', '.join(LANGUAGES)}, got {language!r} "
            f"({nearest(language, LANGUAGES)})"
        )
    programs = [model.program(name, **options) for name, options in chosen]
    if language == "c":
        from dalembert.kernel.backends.c.flat import source as flat

        return flat(
            programs,
            prefix=prefix or model.name,
            dtype=dtype or "float64",
            robot=model.name,
            arrays=model.description.array_docs(),
        )
    if language == "cuda":
        from dalembert.kernel.backends.cuda.source import cuda_source

        return "\n".join(cuda_source(program, dtype or "float32") for program in programs)
    from dalembert.kernel.backends.llvm.build import text
    from dalembert.kernel.backends.llvm.jit import host

    return "\n".join(text(program, host().width) for program in programs)
