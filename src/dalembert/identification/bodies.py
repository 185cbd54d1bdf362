"""The most likely bodies: a fit of parameters that some robot can have, near a description.

The pseudo-inertia J = [[Σ, h], [hᵀ, m]] of a body is linear in its ten parameters and positive
definite; friction and rotors are positive numbers. With J₀ = L Lᵀ of the description and
J = L X Lᵀ the unknown X is near 1, without units. Minimised is, over all bodies and numbers,

    ½ |R θ - z|² + w Σ (tr X - log det X - 4) + w Σ (x - log x - 1),

errors in units of their noise, and the divergence of each body from the description: about half
the square of a relative deviation, infinite where a body stops to exist. The sum is convex, so its
minimum is the only one; the divergence is a self-concordant barrier: Newton's method finds it.

Each Newton step is a problem of least squares, [A; √w G] d = [z - A x; √w g] with A x = R θ, which
keeps the digits that normal equations lose.

Reference: T. Lee, P. Wensing, F. Park, Geometric robot dynamic identification: a convex programming
approach, IEEE Transactions on Robotics 36 (2020).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from dalembert.spatial.inertia.consistency import pseudo_inertia
from dalembert.spatial.inertia.inertia import Inertia

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dalembert.types import Array, Scalar

THICKNESS = 1e-2
"""The smallest second moment of a description that counts, as a part of the largest: a rod that is
described as a line may have a thickness."""

SHORTER = 0.1
"""From one weight of the description to the next smaller one on the way to the wanted one."""

EXPLAINED = 1e-6
"""The weight of the description is at least this part of the squares that are left, so that the
edge of what exists is not nearer than rounding."""

MOST_STEPS = 60
"""Of Newton's method for one weight; ten are many."""

DONE = 1e-10
"""Newton's decrement at which a minimum is reached."""


INERTIAL = ("m", "hx", "hy", "hz", "Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz")
"""The ten numbers of a body, as `Model.regressor_parameters` names them."""


def inertia_of(numbers: Sequence[Scalar]) -> Inertia:
    """Return the inertia with these ten numbers."""
    m, x, y, z, *I = numbers
    return Inertia(m, (x, y, z), tuple(I))  # type: ignore[arg-type]


BASIS = np.array([pseudo_inertia(inertia_of(row)) for row in np.eye(10).tolist()])
"""J = Σ θ_k BASIS[k]."""


class Priors(NamedTuple):
    """What is expected of θ ``(n,)``: bodies at some columns, positive numbers at others.

    ``bodies`` are columns ``(bodies, 10)`` with factors L ``(bodies, 4, 4)`` of the pseudo-inertias
    that are expected; ``numbers`` are columns ``(numbers,)`` with the ``sizes`` that are expected.
    """

    bodies: Array
    factors: Array
    numbers: Array
    sizes: Array

    def scales(self) -> Array:
        """Return T ``(n, n)`` with θ = T x: ten numbers of X for each body, then the others."""
        n = self.bodies.size + self.numbers.size
        T = np.zeros((n, n))
        for k, (columns, L) in enumerate(zip(self.bodies, self.factors, strict=True)):
            inertias = [_parameters(L @ E @ L.T) for E in BASIS]
            T[columns, 10 * k : 10 * k + 10] = np.transpose(inertias)
        T[self.numbers, np.arange(self.bodies.size, n)] = self.sizes
        return T


def expected_factor(theta: Array) -> Array:
    """Return L of a link with these ten numbers, L Lᵀ its pseudo-inertia with some thickness."""
    J = np.einsum("k,kij->ij", theta, BASIS)
    m, h = J[3, 3], J[:3, 3]
    values, V = np.linalg.eigh(J[:3, :3] - np.outer(h, h) / m)
    largest = float(values[-1])
    if not largest > 1e-12 * float(h @ h) / m:
        # a point mass: as if it were spread over its distance from the joint, or over 1 m
        largest = float(h @ h) / m or float(m)
    J[:3, :3] = (V * np.maximum(values, THICKNESS * largest)) @ V.T + np.outer(h, h) / m
    return np.linalg.cholesky(J)


def fit(R: Array, z: Array, priors: Priors, weight: float) -> Array:
    """Return θ of the minimum of the sum above."""
    T = priors.scales()
    A, split = R @ T, priors.bodies.size
    # the description is the minimum for a large weight: from there to the wanted one
    x = np.ones(len(T))
    x[:split] = np.tile(_parameters(np.eye(4)), len(priors.bodies))
    w = max(weight, _squares(A, z, x))
    while True:
        x = _minimum(A, z, split, w, x)
        # what no bodies explain is noise to them
        noise = EXPLAINED * _squares(A, z, x)
        if w <= max(weight, 2 * noise):
            return T @ x
        w = max(weight, noise, SHORTER * w)


def _squares(A: Array, z: Array, x: Array) -> float:
    return float(np.sum((A @ x - z) ** 2))


def _minimum(A: Array, z: Array, split: int, w: float, x: Array) -> Array:
    from scipy.linalg import lstsq

    value = _value(A, z, split, w, x)
    for _ in range(MOST_STEPS):
        G, g = _divergence_rows(x, split)
        rows = np.concatenate([A, np.sqrt(w) * G])
        right = np.concatenate([z - A @ x, np.sqrt(w) * g])
        solved: Any = lstsq(rows, right, cond=1e-15, lapack_driver="gelsy")
        d = solved[0]
        decrement = float(np.linalg.norm(rows @ d)) / np.sqrt(w)
        # 1 / (1 + decrement) is always inside and always better; longer where that is better still
        lengths = [1.0, 0.5, 0.2] if decrement > 0.3 else []
        tried = [(t, _value(A, z, split, w, x + t * d)) for t in lengths]
        better = [t for t, ahead in tried if ahead < value - 0.1 * t * w * decrement**2]
        length = better[0] if better else 1 / (1 + decrement) if decrement > 0.3 else 1.0
        x = x + length * d
        before, value = value, _value(A, z, split, w, x)
        # where rounding decides there is nothing to gain
        if decrement < DONE or (decrement < 1e-3 and value >= before):
            break
    return x


def _value(A: Array, z: Array, split: int, w: float, x: Array) -> float:
    values = np.append(np.linalg.eigvalsh(_matrices(x[:split])).ravel(), x[split:])
    if not (values > 0).all():
        return np.inf
    return 0.5 * _squares(A, z, x) + w * float(np.sum(values - np.log(values) - 1))


def _divergence_rows(x: Array, split: int) -> tuple[Array, Array]:
    """Return G, g: the divergence near x is ½ |G d - g|², up to what does not depend on d.

    With X = C Cᵀ the rows of G are C⁻¹ dX C⁻ᵀ, and g is 1 - CᵀC.
    """
    C = np.linalg.cholesky(_matrices(x[:split]))
    to = np.linalg.inv(C)
    rows = np.einsum("nia,kab,njb->nijk", to, BASIS, to).reshape(len(C), 16, 10)
    numbers = x[split:]
    G = np.zeros((16 * len(C) + len(numbers), len(x)))
    for k, block in enumerate(rows):
        G[16 * k : 16 * k + 16, 10 * k : 10 * k + 10] = block
    place = np.arange(len(numbers))
    G[16 * len(C) + place, split + place] = 1 / numbers
    bodies = np.eye(4) - np.swapaxes(C, 1, 2) @ C
    return G, np.append(bodies.ravel(), 1 - numbers)


def _matrices(x: Array) -> Array:
    """Return X ``(bodies, 4, 4)`` of ten numbers for each."""
    return np.einsum("nk,kij->nij", x.reshape(-1, 10), BASIS)


def _parameters(J: Array) -> Array:
    """Return m, h and I of a pseudo-inertia."""
    Sigma, h, m = J[:3, :3], J[:3, 3], J[3, 3]
    I = np.trace(Sigma) * np.eye(3) - Sigma
    return np.array([m, *h, *np.diag(I), I[0, 1], I[0, 2], I[1, 2]])
