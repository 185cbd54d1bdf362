"""Normal modes in closed form: frequencies, shapes, damping ratios, as a lecturer writes them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dalembert.errors import DalembertError, InvalidSystem, Undecided
from dalembert.expr import ZERO, Expr, Kind, Matrix, free_symbols, symbol, time
from dalembert.mechanics.proofs.signs import rationalised, root_of, sign_of
from dalembert.mechanics.small_motions.point import simplified, without_moduli
from dalembert.mechanics.small_motions.roots import coefficients, real_roots
from dalembert.ring import Element, canonical_matrix, determinant, equal, ring_of
from dalembert.ring.algebra.null_space import null_space
from dalembert.ring.factors import factors
from dalembert.ring.rebuild import rebuild_matrix

if TYPE_CHECKING:
    from dalembert.mechanics.small_motions.linearisation import Linearisation

ADVICE = "compile the system with numbers and use da.analysis.modes(model, q)"


@dataclass(frozen=True, eq=False)
class Mode:
    """One normal mode, δq(t) = shape · cos(ω t).

    Attributes:
        square: ω², in 1/s²; negative where the motion runs away, zero for one that drifts.
        shape: A column, its first entry that is not zero is 1.
        damping_ratio: ζ, where the modes stay uncoupled.
    """

    square: Expr
    shape: Matrix
    damping_ratio: Expr

    @property
    def frequency(self) -> Expr:
        """ω in rad/s, for positive parameters; needs ω² ≥ 0."""
        return root_of(self.square, positive=True)


class Modes(list[Mode]):
    """The normal modes of linear equations, slow ones first."""

    def __init__(self, modes: Sequence[Mode], variables: Sequence[Expr]) -> None:
        super().__init__(modes)
        self.variables = tuple(variables)

    def __str__(self) -> str:
        names = ", ".join(map(str, self.variables))
        lines = []
        for i, mode in enumerate(self):
            number = str(i + 1).translate(str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉"))
            shape = f"({names}) = ({', '.join(map(str, mode.shape))})"
            lines.append(f"{_frequency_text(mode, f'ω{number}')},  {shape}{_damping_text(mode)}")
        return "\n".join(lines)

    __repr__ = __str__

    def latex(self) -> str:
        """Return one line for each mode as LaTeX."""
        names = r",\, ".join(x.latex() for x in self.variables)
        lines = []
        for i, mode in enumerate(self):
            vibrates = sign_of(mode.square).is_positive
            left = rf"\omega_{{{i + 1}}}" if vibrates else rf"\omega_{{{i + 1}}}^2"
            value = (mode.frequency if vibrates else mode.square).latex()
            shape = r",\, ".join(x.latex() for x in mode.shape)
            lines.append(rf"{left} &= {value}, & ({names}) &= ({shape})")
        body = " \\\\\n".join(lines)
        return f"\\begin{{aligned}}\n{body}\n\\end{{aligned}}"

    def _repr_latex_(self) -> str:
        return f"$\\displaystyle {self.latex()}$"


def _frequency_text(mode: Mode, name: str) -> str:
    sign = sign_of(mode.square)
    if sign.sign == 0:
        return f"{name} = 0 (drifts)"
    if sign.is_positive:
        return f"{name} = {mode.frequency}"
    return f"{name}² = {mode.square}{' (runs away)' if sign.is_negative else ''}"


def _damping_text(mode: Mode) -> str:
    return f",  ζ = {mode.damping_ratio}" if mode.damping_ratio != 0 else ""


def normal_modes(lin: Linearisation) -> Modes:
    """Return the modes of M δq̈ + D δq̇ + K δq = 0 in closed form, for positive parameters.

    det(K - ω² M) is factored; each factor is of degree one or two in ω². Damping must leave the
    modes uncoupled: D φ is a multiple of M φ for each shape φ.

    Raises:
        InvalidSystem: the coefficients vary with time, or forces are gyroscopic or circulatory.
        Undecided: there is no closed form that is found.
    """
    _check(lin)
    w = symbol(Kind.COORDINATE, "square")
    pencil = lin.K - lin.M * w
    ring = ring_of(pencil.entries, [w])
    p = determinant(ring, canonical_matrix(ring, pencil))
    place = ring.index[w]
    squares: list[Expr] = []
    try:
        for f, _ in factors(p.over_one().num)[1]:
            factor = Element(ring, f)
            if factor.involves(place):
                squares += [v for v, _ in real_roots(coefficients(factor, place))]
    except Undecided as error:
        raise Undecided(
            f"expected frequencies in closed form, got none ({error}): {ADVICE}"
        ) from None
    squares = [without_moduli(v) for v in simplified(squares)]
    modes = [mode for v in squares for mode in _modes_of(lin, v)]
    if len(modes) < len(lin.variables):
        raise Undecided(f"expected all shapes in closed form, got {len(modes)}: {ADVICE}")
    return Modes(sorted(modes, key=_size), lin.variables)


def _check(lin: Linearisation) -> None:
    matrices = (lin.M, lin.D, lin.K)
    if any(time in e.symbols for a in matrices for e in a):
        raise InvalidSystem(
            "expected constant coefficients for normal modes, got some that vary with time"
        )
    if not all(equal(a, a.T) for a in matrices):
        raise InvalidSystem(
            "expected symmetric M, D and K for normal modes, got gyroscopic or circulatory forces: "
            f"their modes are complex; {ADVICE}"
        )


def _modes_of(lin: Linearisation, square: Expr) -> list[Mode]:
    """Return the modes of one value of ω², several where it is a multiple root."""
    a = lin.K - lin.M * square
    entries = [without_moduli(e) for e in simplified(a.entries)]
    ring = ring_of(entries)
    kernel = rebuild_matrix(null_space(ring, canonical_matrix(ring, a._like(entries))))
    shapes = [_normalised(list(kernel.col(k))) for k in range(kernel.shape[1])]
    return [Mode(square, shape, _damping(lin, square, shape)) for shape in shapes]


def _normalised(column: list[Expr]) -> Matrix:
    first = next(x for x in column if x != 0)
    ratios = [without_moduli(x) for x in simplified([x / first for x in column])]
    return Matrix.column([rationalised(x) for x in ratios])


def _damping(lin: Linearisation, square: Expr, shape: Matrix) -> Expr:
    """Return ζ with D φ = 2 ζ ω M φ, or raise where D couples the modes."""
    if all(x == 0 for x in lin.D):
        return ZERO
    drag, inertia = lin.D @ shape, lin.M @ shape
    rate = simplified([drag.dot(shape) / inertia.dot(shape)])[0]
    if any(x != 0 for x in simplified(list(drag - inertia * rate))):
        raise Undecided(f"expected damping that leaves the modes uncoupled, got other: {ADVICE}")
    if sign_of(square).sign == 0:
        return ZERO
    ratio = root_of(simplified([rate**2 / (4 * square)])[0], positive=True)
    return -ratio if sign_of(rate).is_negative else ratio


def _size(mode: Mode) -> float:
    """Return ω² where all parameters are one, to put slow modes first."""
    try:
        return float(mode.square.evaluate(dict.fromkeys(free_symbols([mode.square]), 1.0)))
    except DalembertError:
        return 0.0
