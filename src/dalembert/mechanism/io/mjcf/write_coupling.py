"""Write couplings as equality constraints of MJCF: of two joints, or of a tendon over several."""

from __future__ import annotations

from typing import NamedTuple

from dalembert.errors import InvalidMechanism
from dalembert.mechanism.io.mjcf.equality import shifted
from dalembert.mechanism.io.mjcf.write_tendon import fixed_tendon
from dalembert.mechanism.io.xml.write import numbers, tag
from dalembert.mechanism.mechanism import Mechanism
from dalembert.mechanism.parts.closure import Coupling
from dalembert.spatial.exact import exact

MAX_DEGREE = 4
"""Of MuJoCo's polynomials."""


class Equality(NamedTuple):
    """The element of a coupling, and the lines of the tendon that it needs, if any."""

    element: str
    tendon: list[str]


def is_equality(coupling: Coupling) -> bool:
    """Tell whether MuJoCo can have a coupling: a polynomial of one joint, or a sum of several."""
    if len(coupling.others) < 2:
        return coupling.law.coefficients(MAX_DEGREE) is not None
    return coupling.law.slopes(len(coupling.others)) is not None


def equality(coupling: Coupling, mechanism: Mechanism) -> Equality:
    """Return a coupling as MuJoCo has it.

    Raises:
        InvalidMechanism: MuJoCo cannot have it.
    """
    if not is_equality(coupling):
        raise InvalidMechanism(
            f"expected couplings that are polynomials of degree {MAX_DEGREE} at most, or sums over "
            f"several joints, to write MJCF, got {coupling.name!r}: write JSON, or save with "
            "drop=True"
        )
    if len(coupling.others) < 2:
        return Equality(_polynomial(coupling, mechanism), [])
    # y - Σ k x = c; MuJoCo's polynomial counts from the length at the reference positions
    slopes = coupling.law.slopes(len(coupling.others)) or ()
    terms = [
        (coupling.joint, exact(1)),
        *zip(coupling.others, (exact(-k) for k in slopes), strict=True),
    ]
    at_rest = sum(k * mechanism.joint(joint).reference for joint, k in terms)
    constant = coupling.law.at([0] * len(coupling.others)) - at_rest
    name = f"{coupling.name}/coupling"
    polynomial = numbers([constant, *[0] * MAX_DEGREE])
    element = tag("tendon", {"name": coupling.name, "tendon1": name, "polycoef": polynomial})
    return Equality(element, fixed_tendon({"name": name}, terms))


def _polynomial(coupling: Coupling, mechanism: Mechanism) -> str:
    # y = Σ c_k xᵏ; MuJoCo counts from the reference positions: y - y0 = Σ a_k (x - x0)ᵏ
    c = [exact(x) for x in coupling.law.coefficients(MAX_DEGREE) or ()]
    others = coupling.others
    a = shifted(c, mechanism.joint(others[0]).reference if others else 0)
    a = (a[0] - mechanism.joint(coupling.joint).reference, *a[1:])
    a += (0,) * (MAX_DEGREE + 1 - len(a))
    second = {"joint2": others[0]} if others else {}
    pair = {"name": coupling.name, "joint1": coupling.joint, **second}
    return tag("joint", {**pair, "polycoef": numbers(a)})
