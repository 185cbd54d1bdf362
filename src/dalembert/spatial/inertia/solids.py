"""Inertia of solids of constant density, over any scalar.

`block` to `disc` take either the mass or the density and return the `Inertia` in the frame of the
solid: centred, with the axis of revolution along z (the cone stands on the origin). The numbers in
front are exact fractions; lengths and masses must be positive, and symbols count as such.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

from dalembert.errors import InvalidExpression
from dalembert.expr import Expr, Matrix, as_expr, constant
from dalembert.expr import Scalar as Number
from dalembert.spatial.inertia.inertia import Inertia
from dalembert.spatial.scalar import is_positive, is_zero, pi_times
from dalembert.spatial.vectors import Scalar, ratio

Moment = Callable[[int, int, int], Expr]


def inertia_from_moments(moment: Moment) -> Matrix:
    """Return the inertia tensor I from the volume moments ∫ xᵃ yᵇ zᶜ ρ dV.

    I_xx = ∫ (y² + z²) ρ dV, I_xy = -∫ xy ρ dV and so on (Penn, video 3.4).
    """
    axes = ((1, 0, 0), (0, 1, 0), (0, 0, 1))
    m = [[moment(*(a + b for a, b in zip(u, v, strict=True))) for v in axes] for u in axes]
    trace = m[0][0] + m[1][1] + m[2][2]
    return Matrix([[(trace if i == j else 0) - m[i][j] for j in range(3)] for i in range(3)])


def block_inertia(
    mass: Number, sides: Sequence[Number], corner: Sequence[Number] | None = None
) -> Matrix:
    """Return the inertia tensor of a block with sides along the axes.

    The block extends from ``corner`` to ``corner + sides``; by default it is centred, so the
    tensor is about the centre of mass. With ``corner=(0, 0, 0)`` it is about a corner.

    >>> from dalembert import parameters
    >>> m, a, b, c = parameters("m a b c")
    >>> block_inertia(m, (a, b, c))[0, 0]
    m (b² + c²)/12
    """
    lengths = [as_expr(x) for x in sides]
    start = [-x / 2 for x in lengths] if corner is None else [as_expr(x) for x in corner]
    density = as_expr(mass) / (lengths[0] * lengths[1] * lengths[2])

    def moment(*exponents: int) -> Expr:
        # the triple integral of a monomial over a box is a product of three integrals
        product = density
        for n, x0, length in zip(exponents, start, lengths, strict=True):
            product = product * _integral(n, x0, x0 + length)
        return product

    return inertia_from_moments(moment)


def _integral(n: int, lower: Expr, upper: Expr) -> Expr:
    """Return ∫ xⁿ dx from lower to upper."""
    return constant(Fraction(1, n + 1)) * (upper ** (n + 1) - lower ** (n + 1))


def block(
    sides: Sequence[Scalar], *, mass: Scalar | None = None, density: Scalar | None = None
) -> Inertia:
    """Return a solid block, its sides along the axes: I_xx = m (b² + c²) / 12.

    >>> block((1, 2, 3), mass=12).I[:3]
    (Fraction(13, 1), Fraction(10, 1), Fraction(5, 1))
    """
    a, b, c = (_positive("side", x) for x in sides)
    m = _mass(mass, density, a * b * c)
    aa, bb, cc = a * a, b * b, c * c
    return _centred(m, _part(1, 12, bb + cc), _part(1, 12, aa + cc), _part(1, 12, aa + bb))


def rod(length: Scalar, *, mass: Scalar | None = None, density: Scalar | None = None) -> Inertia:
    """Return a thin straight rod along z; its density is per length. I_xx = m l² / 12, I_zz = 0."""
    l = _positive("length", length)
    k = _part(1, 12, l * l)
    return _centred(_mass(mass, density, l), k, k, 0)


def cylinder(
    radius: Scalar, length: Scalar, *, mass: Scalar | None = None, density: Scalar | None = None
) -> Inertia:
    """Return a solid cylinder along z: I_xx = m (3 r² + l²) / 12, I_zz = m r² / 2."""
    r, l = _positive("radius", radius), _positive("length", length)
    rr = r * r
    k = _part(1, 12, 3 * rr + l * l)
    return _centred(_mass(mass, density, pi_times(rr * l)), k, k, _part(1, 2, rr))


def tube(
    outer: Scalar,
    inner: Scalar,
    length: Scalar,
    *,
    mass: Scalar | None = None,
    density: Scalar | None = None,
) -> Inertia:
    """Return a hollow cylinder along z, open at both ends, between two radii.

    I_xx = m (3 (R² + r²) + l²) / 12, I_zz = m (R² + r²) / 2; r = R with a mass is a thin wall.
    """
    R, r = _radii(outer, inner, mass)
    l = _positive("length", length)
    k = R * R + r * r
    m = _mass(mass, density, pi_times((R - r) * (R + r) * l))
    side = _part(1, 12, 3 * k + l * l)
    return _centred(m, side, side, _part(1, 2, k))


def sphere(radius: Scalar, *, mass: Scalar | None = None, density: Scalar | None = None) -> Inertia:
    """Return a solid sphere: I = ⅖ m r².

    >>> from dalembert.expr import parameters
    >>> r, rho = parameters("r rho")
    >>> sphere(r, density=rho).m
    4 π r³ ρ/3
    """
    r = _positive("radius", radius)
    rr = r * r
    k = _part(2, 5, rr)
    return _centred(_mass(mass, density, _part(4, 3, pi_times(rr * r))), k, k, k)


def hollow_sphere(
    outer: Scalar, inner: Scalar, *, mass: Scalar | None = None, density: Scalar | None = None
) -> Inertia:
    """Return the solid between two concentric spheres: I = ⅖ m (R⁵ - r⁵) / (R³ - r³)."""
    R, r = _radii(outer, inner, mass)
    # both differences contain R - r, which would cancel for a thin wall
    RR, Rr, rr = R * R, R * r, r * r
    square = RR + Rr + rr
    k = _part(2, 5, ratio(RR * RR + RR * Rr + Rr * Rr + Rr * rr + rr * rr, square))
    volume = _part(4, 3, pi_times((R - r) * square))
    return _centred(_mass(mass, density, volume), k, k, k)


def spherical_shell(
    radius: Scalar, *, mass: Scalar | None = None, density: Scalar | None = None
) -> Inertia:
    """Return a thin spherical shell; its density is per area. I = ⅔ m r²."""
    r = _positive("radius", radius)
    rr = r * r
    k = _part(2, 3, rr)
    return _centred(_mass(mass, density, 4 * pi_times(rr)), k, k, k)


def ellipsoid(
    semi_axes: Sequence[Scalar], *, mass: Scalar | None = None, density: Scalar | None = None
) -> Inertia:
    """Return a solid ellipsoid with semi-axes a, b, c along x, y, z: I_xx = m (b² + c²) / 5."""
    a, b, c = (_positive("semi-axis", x) for x in semi_axes)
    m = _mass(mass, density, _part(4, 3, pi_times(a * b * c)))
    aa, bb, cc = a * a, b * b, c * c
    return _centred(m, _part(1, 5, bb + cc), _part(1, 5, aa + cc), _part(1, 5, aa + bb))


def capsule(
    radius: Scalar, length: Scalar, *, mass: Scalar | None = None, density: Scalar | None = None
) -> Inertia:
    """Return a cylinder along z of this length between two half spheres.

    The whole is length + 2 radius long. Of the mass, 3 l / (3 l + 4 r) is in the cylinder:
    I_zz = m_c r²/2 + ⅖ m_s r²,  I_xx = m_c (3 r² + l²)/12 + m_s (⅖ r² + ⅜ l r + ¼ l²).
    """
    r, l = _positive("radius", radius), _positive("length", length)
    rr, ll, whole = r * r, l * l, 3 * l + 4 * r
    # shares of the mass
    c, s = ratio(3 * l, whole), ratio(4 * r, whole)
    m = _mass(mass, density, _part(1, 3, pi_times(rr * whole)))
    side = c * _part(1, 12, 3 * rr + ll) + s * _part(1, 40, 16 * rr + 15 * (l * r) + 10 * ll)
    return _centred(m, side, side, c * _part(1, 2, rr) + s * _part(2, 5, rr))


def cone(
    radius: Scalar, height: Scalar, *, mass: Scalar | None = None, density: Scalar | None = None
) -> Inertia:
    """Return a solid cone from its base, at the origin, to its tip at (0, 0, height).

    The centre of mass is at height/4. About it I_xx = 3 m (4 r² + h²) / 80, I_zz = 3 m r² / 10;
    about the origin I_xx = m (3 r² + 2 h²) / 20.

    >>> cone(1.0, 4.0, mass=2.0).com()
    (0.0, 0.0, 1.0)
    """
    r, h = _positive("radius", radius), _positive("height", height)
    rr = r * r
    m = _mass(mass, density, _part(1, 3, pi_times(rr * h)))
    side = m * _part(1, 20, 3 * rr + 2 * (h * h))
    return Inertia(m, (0, 0, _part(1, 4, m * h)), (side, side, m * _part(3, 10, rr), 0, 0, 0))


def ring(radius: Scalar, *, mass: Scalar | None = None, density: Scalar | None = None) -> Inertia:
    """Return a thin ring about z; its density is per length. I_xx = m r² / 2, I_zz = m r²."""
    r = _positive("radius", radius)
    rr = r * r
    return _centred(_mass(mass, density, 2 * pi_times(r)), _part(1, 2, rr), _part(1, 2, rr), rr)


def disc(radius: Scalar, *, mass: Scalar | None = None, density: Scalar | None = None) -> Inertia:
    """Return a thin disc about z; its density is per area. I_xx = m r² / 4, I_zz = m r² / 2."""
    r = _positive("radius", radius)
    rr = r * r
    side = _part(1, 4, rr)
    return _centred(_mass(mass, density, pi_times(rr)), side, side, _part(1, 2, rr))


def _centred(m: Scalar, xx: Scalar, yy: Scalar, zz: Scalar) -> Inertia:
    """Return the inertia about the centre of mass with squared radii of gyration xx, yy, zz."""
    return Inertia(m, (0, 0, 0), (m * xx, m * yy, m * zz, 0, 0, 0))


def _part(n: int, d: int, x: Scalar) -> Scalar:
    """Return n x / d; exactly, unless x is a float."""
    return ratio(n * x, d)


def _mass(mass: Scalar | None, density: Scalar | None, size: Scalar) -> Scalar:
    """Return the mass, or the density times the size."""
    if (mass is None) == (density is None):
        given = "neither" if mass is None else "both"
        raise InvalidExpression(
            f"expected a mass or a density, got {given}: give mass= or density="
        )
    return _positive("density", density) * size if mass is None else _positive("mass", mass)


def _radii(outer: Scalar, inner: Scalar, mass: Scalar | None) -> tuple[Scalar, Scalar]:
    R, r = _positive("outer radius", outer), _positive("inner radius", inner)
    wall = R - r
    if is_zero(wall) and mass is not None:
        return R, r
    if not is_positive(wall):
        raise InvalidExpression(
            f"expected an inner radius less than the outer one, got inner {r} and outer {R}"
        )
    return R, r


def _positive(name: str, x: Scalar) -> Scalar:
    if not is_positive(x):
        raise InvalidExpression(f"expected a positive {name}, got {x}")
    return x
