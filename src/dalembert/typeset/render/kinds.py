"""What the terms of an equation of motion are: inertia, Coriolis, gravity, applied, constraint.

A term is judged by its symbols: accelerations are inertia, products of two velocities Coriolis and
centrifugal, multipliers constraints, inputs applied; what is left are gravity, springs and damping.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import NamedTuple

from dalembert.expr import Kind, Symbol
from dalembert.typeset.tree import Power, Product, Sum, SymbolLeaf, leaves

MAX_FACTORS = 64
"""Of a product; a longer one has no kind of its own."""


class Look(NamedTuple):
    """A kind of term in words, and its colour on light and on dark pages.

    The colours differ for people with any colour vision, and have a contrast of at least 4.5 to 1.
    """

    words: str
    light: str
    dark: str


KINDS = {
    "inertia": Look("inertia", "#005f9e", "#6cb8f5"),
    "coriolis": Look("Coriolis and centrifugal", "#b04300", "#ff9d66"),
    "gravity": Look("gravity, springs, damping", "#00705a", "#45cfa6"),
    "applied": Look("applied", "#97407a", "#eb9ccb"),
    "constraint": Look("constraint", "#6b5a00", "#dcc04a"),
}
"""The kinds by the names of their classes on a page."""


class Rates(NamedTuple):
    """What a term has of rates and forces: accelerations, degree in velocities, inputs, λ."""

    accelerations: int = 0
    velocities: int = 0
    inputs: int = 0
    multipliers: int = 0

    def times(self, other: Rates) -> Rates:
        """Return what a product of two has."""
        return Rates(*(a + b for a, b in zip(self, other, strict=True)))


NONE = Rates()


def kind_of(rates: Iterable[Rates], rest: str = "gravity") -> str | None:
    """Return the kind that all terms share, None where they differ.

    Args:
        rates: Of the terms.
        rest: The kind of terms without rates, inputs and multipliers.
    """
    found = {_kind(x, rest) for x in rates}
    return found.pop() if len(found) == 1 else None


def rates_of(p: Product) -> frozenset[Rates]:
    """Return what the terms of a tree have when it is multiplied out."""
    found = frozenset([NONE])
    if len(p.factors) > MAX_FACTORS:
        return frozenset()
    for power in p.factors:
        found = frozenset(a.times(b) for a in found for b in rates_of_power(power))
    return found


def rates_of_power(power: Power) -> frozenset[Rates]:
    """Return what the terms of a factor have."""
    if not isinstance(power.base, Sum):
        return frozenset([_of_leaf(power)])
    base: frozenset[Rates] = power.base.remember(
        "rates", lambda s: frozenset().union(*map(rates_of, s.terms))
    )
    found = base
    for _ in range(min(power.exponent, 4) - 1):
        found = frozenset(a.times(b) for a in found for b in base)
    return found


def _of_leaf(power: Power) -> Rates:
    assert not isinstance(power.base, Sum)
    if isinstance(power.base, SymbolLeaf):
        one = _of_symbol(power.base.symbol)
        return Rates(*(x * power.exponent for x in one))
    # inside a function a rate is no power of itself: tanh(q̇) is damping
    inside = [
        _of_symbol(x.symbol)
        for x in leaves(Product(Fraction(1), (power,)))
        if isinstance(x, SymbolLeaf)
    ]
    return Rates(
        max((x.accelerations for x in inside), default=0),
        max((x.velocities for x in inside), default=0),
        max((x.inputs for x in inside), default=0),
        max((x.multipliers for x in inside), default=0),
    )


def _of_symbol(symbol: Symbol) -> Rates:
    if symbol.kind is Kind.INPUT:
        return Rates(inputs=1)
    if symbol.kind is Kind.MULTIPLIER:
        return Rates(multipliers=1)
    if symbol.kind is Kind.COORDINATE:
        return Rates(int(symbol.order == 2), int(symbol.order == 1))
    return NONE


def _kind(x: Rates, rest: str) -> str:
    if x.multipliers:
        return "constraint"
    if x.inputs:
        return "applied"
    if x.accelerations:
        return "inertia"
    return "coriolis" if x.velocities > 1 else rest


def style() -> str:
    """Return the colours as CSS for pages that follow the reader's choice of light or dark."""
    dark = f"@media (prefers-color-scheme: dark) {{ {_variables(':root', dark=True)} }}"
    return f"{_variables(':root')}\n{dark}\n{_CLASSES}"


def site_style() -> str:
    """Return the same for pages whose body says which of them holds, as those of Furo."""
    chosen = _variables('body[data-theme="dark"]', dark=True)
    automatic = _variables('body[data-theme="auto"]', dark=True)
    media = f"@media (prefers-color-scheme: dark) {{ {automatic} }}"
    return f"{_variables('body')}\n{chosen}\n{media}\n{_CLASSES}"


def style_by(dark: str) -> str:
    """Return the same for pages that are dark where a selector holds."""
    return f"{_variables(':root')}\n{_variables(dark, dark=True)}\n{_CLASSES}"


def _variables(selector: str, *, dark: bool = False) -> str:
    colors = {name: look.dark if dark else look.light for name, look in KINDS.items()}
    values = " ".join(f"--{name}: {color};" for name, color in colors.items())
    return f"{selector} {{ {values} }}"


_PLAIN = ", ".join(f".{name}" for name in KINDS)
_CLASSES = (
    "\n".join(f".{name} {{ color: var(--{name}); }}" for name in KINDS)
    # paper has one ink
    + f"\n@media print {{ {_PLAIN} {{ color: inherit; }} .kinds {{ display: none; }} }}\n"
)


def legend() -> str:
    """Return what the colours mean, as a list of HTML."""
    items = "".join(
        f'<li><span class="{name}" aria-hidden="true">■</span> {look.words}</li>'
        for name, look in KINDS.items()
    )
    return f'<ul class="kinds" aria-label="Colours of terms">{items}</ul>'
