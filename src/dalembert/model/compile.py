"""The model of a system or a mechanism."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dalembert.errors import InvalidMechanism
from dalembert.kernel.compiler import Target
from dalembert.mechanics import System
from dalembert.mechanics.kinds import by_kind
from dalembert.mechanism import Mechanism
from dalembert.model.border import of_kind, values_of
from dalembert.model.model import Model

if TYPE_CHECKING:
    from dalembert.expr import BySymbol, Scalar
    from dalembert.model.description import Description


def compile(
    description: System | Mechanism,
    backend: str = "llvm",
    *,
    parameters: BySymbol[Scalar] | None = None,
    passive: bool = True,
    smoothing: float | None = None,
    threads: int | None = None,
    dtype: str | None = None,
) -> Model:
    """Return the model of a system or mechanism; each function compiles at its first call.

    Args:
        description: What `da.load`, a builder or `da.System` gave.
        backend: "llvm" (machine code of this processor), "numpy" (also complex numbers), "c" (the
            system's C compiler), "cuda", "jax" or "torch".
        parameters: Values of symbolic parameters, by symbol or by name. Those without a value
            become an input of every function: ``model.mass_matrix(q, parameters=...)``.
        passive: Whether springs, dampers and friction of a mechanism act. Without them the
            functions are those of the rigid bodies alone.
        smoothing: Dry friction as tanh(v / smoothing) instead of its sign.
        threads: Cores for large batches; all that this process may use unless given.
        dtype: "float64" or "float32": what functions compute in, take and return. Unless given the
            first, for "cuda" the second. In float32 twice as many samples run side by side, to some
            six digits; arrays of float64 are refused, numbers and lists are rounded.

    Raises:
        InvalidMechanism: this is neither a system nor a mechanism, or options do not fit it.
        UnknownName: there is no such backend, or a value is for no parameter.

    >>> import dalembert as da
    >>> model = da.compile(da.textbook.robots.ur5e())
    >>> model.mass_matrix([0.0, 0.1, 0.2, 0.3, 0.4, 0.5]).shape
    (6, 6)
    """
    of_kind(backend, str, "backend=", "the name of a backend")
    parameters = values_of(parameters)
    formulas = by_kind(
        description,
        "to compile",
        mechanism=lambda x: _of_mechanism(x, parameters, passive, smoothing),
        system=lambda x: _of_system(x, parameters, passive, smoothing),
    )
    return Model(formulas, Target(backend, threads, dtype))


def _of_mechanism(
    mechanism: Mechanism,
    parameters: BySymbol[Scalar] | None,
    passive: bool,
    smoothing: float | None,
) -> Description:
    # the recursions load when the first mechanism is compiled
    from dalembert.model.formulas.mechanism import MechanismFormulas

    bound = mechanism.bind(parameters) if parameters else mechanism
    return MechanismFormulas(bound, passive=passive, smoothing=smoothing)


def _of_system(
    system: System, parameters: BySymbol[Scalar] | None, passive: bool, smoothing: float | None
) -> Description:
    from dalembert.model.formulas.system import SystemFormulas

    if not passive or smoothing is not None:
        raise InvalidMechanism(
            "expected passive= and smoothing= with a mechanism, got a system: "
            "its dissipation and forces say what acts; mechanism.system() takes smoothing= too"
        )
    return SystemFormulas(system.bind(parameters or {}))
