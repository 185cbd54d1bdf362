"""What a certificate claims: the parts of the equations, and the data that show some properties."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from dalembert.certificates.check import CLAIMS, EQUATIONS, WITNESSES
from dalembert.certificates.squares import NotShown, squares_of
from dalembert.certificates.standing import standing
from dalembert.certificates.steps import Whole
from dalembert.errors import DalembertError
from dalembert.expr import Expr, Kind, Matrix, free_symbols, is_kind, symbol_text
from dalembert.mechanics.equations.equations import Equations

Parts = dict[str, Any]

ALWAYS = ("energies", "lagranges_equations")
"""Claims that the checker demands: T, V and the equations themselves."""


class Claims:
    """Claims with their parts; those that are given up have a reason.

    Attributes:
        names: The claims.
        missing: Why a claim is not made, by its name.
        positive: The parameters that claims about M assume positive.
    """

    def __init__(self, eq: Equations) -> None:
        self._parts = _equations(eq)
        self.missing: dict[str, str] = {}
        self.positive: list[Expr] = []
        # Jacobi's integral takes the place of the energy where the two differ
        self.names = [
            name for name in CLAIMS if name not in ("code_computes_the_equations", "jacobi_balance")
        ]
        if not eq.lam:
            self.names.remove("constraints")
        if not eq.system.bodies and eq.tree is None:
            self.drop("newton_euler", "the system was given by its energies, without bodies")
        self._add("linear_in_parameters", lambda: self._regressor(eq))
        self._add("mass_matrix_is_nonnegative", lambda: self._squares(eq))

    @property
    def parts(self) -> Parts:
        """The parts of the equations and of the claims that are made, as expressions."""
        witnesses = {part for name in self.names for part in WITNESSES.get(name, ())}
        return {k: v for k, v in self._parts.items() if k in EQUATIONS or k in witnesses}

    def drop(self, name: str, reason: str) -> None:
        """Give up a claim, and one that rests on it."""
        self.names.remove(name)
        self.missing[name] = reason
        if name == "mass_matrix_is_nonnegative" and "mass_matrix_is_positive" in self.names:
            self.drop("mass_matrix_is_positive", "it rests on M ⪰ 0")
        if name == "energy_balance":
            self.names.append("jacobi_balance")

    def _add(self, name: str, make: Callable[[], Parts]) -> None:
        """Add the parts of a claim, or the reason why there are none."""
        try:
            self._parts |= make()
        except (DalembertError, NotShown) as error:
            self.drop(name, str(error))

    def _regressor(self, eq: Equations) -> Parts:
        if not eq.parameters:
            raise NotShown("there are no parameters")
        Y, theta = eq.regressor()
        return {"Y": rows(Y), "theta": list(theta)}

    def _squares(self, eq: Equations) -> Parts:
        groups, n = squares_of(eq), len(eq.coordinates)
        steps = standing(groups, n)
        squares = [s for group in groups for s in group]
        if len(steps) < n:
            free = sorted(set(range(n)) - {step.velocity for step in steps})
            names = ", ".join(symbol_text(eq.coordinates[k]) for k in free)
            self.drop("mass_matrix_is_positive", f"M may be singular: {names} may move at T = 0")
        assumed = [s.weight for s in squares] + [step.factor for step in steps]
        self.positive = [x for x in free_symbols(assumed) if is_kind(x, Kind.PARAMETER)]
        return {
            "squares": [[s.weight, _form(s.slopes, eq)] for s in squares],
            "standing": [
                [Whole(k), factor, [[Whole(r), c] for r, c in combination]]
                for k, factor, combination in steps
            ],
        }


def rows(a: Matrix) -> list[list[Any]]:
    """Return a matrix as lists."""
    m, n = a.shape
    return [[a[i, j] for j in range(n)] for i in range(m)]


def _form(slopes: Sequence[Any], eq: Equations) -> Any:
    return sum((c * v for c, v in zip(slopes, eq.velocities, strict=True)), 0 * eq.velocities[0])


def _equations(eq: Equations) -> Parts:
    return {
        "T": eq.T,
        "V": eq.V,
        "M": rows(eq.M),
        "C": rows(eq.C),
        "N": list(eq.N),
        "forces": list(eq.forces),
        "a": list(eq.a),
        "A": rows(eq.A) if eq.lam else [],
        "Ad": rows(eq.Ad) if eq.lam else [],
        "drift": list(eq.drift) if eq.lam else [],
        "drift_rate": list(eq.drift_rate) if eq.lam else [],
    }
