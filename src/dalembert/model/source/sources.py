"""Generated code of a model, for other programs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from dalembert.errors import UnknownName, nearest

if TYPE_CHECKING:
    from dalembert.model.model import Model

LANGUAGES = ("c", "cuda", "llvm")
FUNCTIONS = ("inverse_dynamics", "mass_matrix", "forward_dynamics")


def source(
    model: Model,
    language: str = "c",
    *,
    functions: Sequence[str | tuple[str, dict[str, Any]]] = FUNCTIONS,
    prefix: str | None = None,
    dtype: str | None = None,
    rolled: bool = False,
) -> Any:
    """Return generated code: the same programs that the model runs.

    Args:
        model: What to write.
        language: "c" gives a `CSource` with ``.header``, ``.source`` and ``.save(folder)``;
            "cuda" and "llvm" give text, one kernel after the other.
        functions: Names of the model's functions; with options as ``("jacobian", {"frame": …})``.
        prefix: Of the names in C; the name of the robot unless given.
        dtype: "float64" or "float32"; unless given, the first for C, the second for CUDA.
        rolled: C with loops over joints, small at any number of them, for microcontrollers.

    Raises:
        UnknownName: another language, or a function that the model does not have.
    """
    chosen = [(f, {}) if isinstance(f, str) else f for f in functions]
    match language:
        case "c" if rolled:
            return _rolled(model, chosen, prefix, dtype or "float64")
        case "c":
            from dalembert.kernel.backends.c.flat import source as flat

            return flat(
                [model.program(name, **options) for name, options in chosen],
                prefix=prefix or model.name,
                dtype=dtype or "float64",
                robot=model.name,
                arrays=model.description.array_docs(),
            )
        case "cuda":
            from dalembert.kernel.backends.cuda.source import cuda_source

            texts = [
                cuda_source(model.program(name, **options), dtype or "float32")
                for name, options in chosen
            ]
            return "\n".join(texts)
        case "llvm":
            from dalembert.kernel.backends.llvm.build import text
            from dalembert.kernel.backends.llvm.jit import host

            return "\n".join(text(model.program(n, **o), host().width) for n, o in chosen)
        case _:
            raise UnknownName(
                f"expected a language of {', '.join(LANGUAGES)}, got {language!r} "
                f"({nearest(language, LANGUAGES)})"
            )


def _rolled(
    model: Model, chosen: Sequence[tuple[str, dict[str, Any]]], prefix: str | None, dtype: str
) -> Any:
    from dalembert.model.source.rolled_c.source import rolled_source

    arm = model.mechanism
    return rolled_source(arm, [name for name, _ in chosen], prefix=prefix or arm.name, dtype=dtype)
