"""Functions of JAX with kernels in them as bytes, for other processes and machines.

What `jax.export` writes only names foreign functions. Beside it go the programs of the kernels:
data that the other process compiles for its own processor or GPU.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import TYPE_CHECKING, Any

from dalembert.errors import EvaluationError, ParseError
from dalembert.expr.data.pack import pack, unpack
from dalembert.files import parse_json
from dalembert.kernel.backends.jax.lowering import cpu_target, cuda_target, registered
from dalembert.kernel.backends.jax.pure import require_jax
from dalembert.kernel.program.program import Program
from dalembert.optional import require

if TYPE_CHECKING:
    from dalembert.types import Array, ArrayLike

FORMAT = "dalembert.jax 1"
TARGET = re.compile(r"\bdalembert_\w+")


def export_jax(
    function: Callable[..., Array], *arguments: ArrayLike, derivatives: int = 0
) -> bytes:
    """Return a function of JAX that calls kernels as bytes, for `import_jax` anywhere else.

    Args:
        function: What ``jax.jit`` returned.
        arguments: Arrays like those of a call; ``jax.ShapeDtypeStruct`` for shapes alone, which may
            be those of ``jax.export.symbolic_shape``: one export serves every batch.
        derivatives: How often the function can be differentiated where it is imported, in reverse.

    Raises:
        EvaluationError: the function did not come from ``jax.jit``.
        MissingDependency: JAX or flatbuffers is not installed.

    >>> import jax, numpy as np, dalembert as da
    >>> model = da.compile(da.textbook.robots.ur5e(), backend="jax", dtype="float32")
    >>> q = np.zeros((3, 6), np.float32)
    >>> data = export_jax(jax.jit(model.mass_matrix), q)
    >>> import_jax(data)(q).shape
    (3, 6, 6)
    """
    export = _require_export()
    if not hasattr(function, "lower"):
        raise EvaluationError(
            f"expected a function that jax.jit returned, got {type(function).__name__}: "
            "export jax.jit(function)"
        )

    def written() -> list[Any]:
        known = [export.DisabledSafetyCheck.custom_call(name) for name in registered]
        stages = [export.export(function, disabled_checks=known)(*arguments)]
        for _ in range(derivatives):
            stages.append(stages[-1].vjp())
        return stages

    stages = _tried(written, derivatives + 2)
    text = "".join(stage.mlir_module() for stage in stages)
    names = sorted(set(TARGET.findall(text)) & registered.keys())
    kernels = [registered[name] for name in names]
    programs = pack([[k.program, k.dtype, k.shared and list(k.shared)] for k in kernels])
    artefact = stages[0].serialize(vjp_order=derivatives)
    parts = [base64.b64encode(part).decode() for part in (programs.encode(), artefact)]
    return json.dumps({"format": FORMAT, "digest": _digest(parts), "parts": parts}).encode()


def import_jax(data: bytes) -> Callable[..., Array]:
    """Return the function that `export_jax` wrote; its kernels are compiled here.

    Raises:
        ParseError: the bytes are something else, or damaged.
        MissingDependency: JAX or flatbuffers is not installed, or CuPy for a function of a GPU.
    """
    export = _require_export()
    try:
        content = parse_json(data, 10)
    except ValueError as error:
        raise ParseError(f"expected what export_jax wrote, got other bytes: {error}") from None
    match content:
        case {"format": format_, "digest": digest, "parts": [str(programs), str(function)]} if (
            format_ == FORMAT and digest == _digest([programs, function])
        ):
            for kernel in unpack(base64.b64decode(programs).decode()):
                _register(kernel)
            return export.deserialize(bytearray(base64.b64decode(function))).call
    raise ParseError("expected what export_jax wrote, got something else, or a part of it")


def _tried(written: Callable[[], list[Any]], times: int) -> list[Any]:
    """Return what is written; JAX refuses kernels that it was not told of, and then they are known.

    Each derivative may have new ones.
    """
    for _ in range(times - 1):
        try:
            return written()
        except ValueError:
            continue
    return written()


def _require_export() -> ModuleType:
    require_jax()
    require("flatbuffers", "the artefacts of jax.export")
    return require("jax.export", "functions as bytes")


def _digest(parts: Sequence[str]) -> str:
    return hashlib.sha256(" ".join(parts).encode()).hexdigest()


def _register(kernel: object) -> None:
    match kernel:
        case [Program() as program, "float32" | "float64" as dtype, None]:
            cpu_target(program, dtype)
        case [Program() as program, "float32" | "float64" as dtype, [*shared]]:
            cuda_target(program, dtype, [bool(x) for x in shared])
        case _:
            raise ParseError(f"expected a kernel of export_jax, got {str(kernel)[:80]}")
