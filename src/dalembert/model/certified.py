"""The certificate of a model: its equations, and the code that is compiled from them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from dalembert.certificates import Certificate, Code, certify
from dalembert.expr import Expr, time

if TYPE_CHECKING:
    from dalembert.model.model import Model

MAX_SOLVED = 4
"""Degrees of freedom up to which q̈ is put into the equations: its quotients grow with them."""


def model_certificate(model: Model, name: str | None = None) -> Certificate:
    """Return the certificate of a model; see `Model.certificate`."""
    eq = model.description.equations()
    functions = ["mass_matrix", "inverse_dynamics"]
    if not eq.lam and model.nv <= MAX_SOLVED:
        functions.append("forward_dynamics")
    inputs = _inputs(model)
    code = [Code(f, model.program(f), inputs) for f in functions]
    return certify(eq, model.name if name is None else name, code)


def _inputs(model: Model) -> dict[str, Sequence[Expr]]:
    """Return the symbols that stand for each input of a program."""
    q, qd, qdd, u, parameters = model.symbols
    return {
        "q": q, "qd": qd, "qdd": qdd, "tau": u, "u": u, "t": (time,), "parameters": parameters,
    }  # fmt: skip
