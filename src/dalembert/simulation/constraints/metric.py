"""The mass matrix as what measures changes of velocities: L⁻¹ and L⁻ᵀ of M = L Lᵀ, and q̇ᵀ M q̇.

A metric is that of one state, or of many: then its arrays have a leading axis. That of a long chain
has no matrix: effort is linear in its links.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from dalembert.model.rolled.rolled_tree import RolledTree


class Root(ABC):
    """L of M = L Lᵀ at one state, with B = A L⁻ᵀ of the rows of A."""

    B: np.ndarray

    @abstractmethod
    def inward(self, force: np.ndarray) -> np.ndarray:
        """Return L⁻¹ f."""

    @abstractmethod
    def outward(self, w: np.ndarray) -> np.ndarray:
        """Return L⁻ᵀ w."""


class Metric(ABC):
    """M at a state, or at many."""

    @abstractmethod
    def root(self, A: np.ndarray) -> Root:
        """Return L of one state; where M is singular, the rows of A lend it inertia."""

    @abstractmethod
    def weighted(self, A: np.ndarray) -> np.ndarray:
        """Return B = A L⁻ᵀ of one state or many."""

    @abstractmethod
    def square(self, v: np.ndarray) -> np.ndarray:
        """Return q̇ᵀ M q̇."""

    @property
    @abstractmethod
    def diagonal(self) -> np.ndarray:
        """The diagonal of M, ``(..., nv)``."""


class DenseRoot(Root):
    """A triangular matrix."""

    def __init__(self, L: np.ndarray, A: np.ndarray) -> None:
        self.L, self.B = L, np.linalg.solve(L, A.T).T

    def inward(self, force: np.ndarray) -> np.ndarray:
        return np.linalg.solve(self.L, force)

    def outward(self, w: np.ndarray) -> np.ndarray:
        return np.linalg.solve(self.L.T, w)


class DenseMetric(Metric):
    """A matrix ``M``, ``(..., nv, nv)``."""

    def __init__(self, M: np.ndarray) -> None:
        self.M = M

    def root(self, A: np.ndarray) -> Root:
        return DenseRoot(_root(A, self.M), A)

    def weighted(self, A: np.ndarray) -> np.ndarray:
        try:
            L = np.linalg.cholesky(self.M)
        except np.linalg.LinAlgError:
            pairs = zip(*(x.reshape(-1, *x.shape[-2:]) for x in (A, self.M)), strict=True)
            L = np.stack([_root(a, m) for a, m in pairs]).reshape(self.M.shape)
        return np.linalg.solve(L, A.swapaxes(-1, -2)).swapaxes(-1, -2)

    def square(self, v: np.ndarray) -> np.ndarray:
        return np.einsum("...i,...ij,...j", v, self.M, v)

    @property
    def diagonal(self) -> np.ndarray:
        return np.einsum("...ii->...i", self.M)


class ChainRoot(Root):
    """The eliminated inertias of the links of long chains."""

    def __init__(self, tree: RolledTree, q: np.ndarray, A: np.ndarray) -> None:
        self.tree, self.q = tree, q
        self.B, self._root = tree.inward(q, A)

    def inward(self, force: np.ndarray) -> np.ndarray:
        return self.tree.inward(self.q, force[None])[0][0]

    def outward(self, w: np.ndarray) -> np.ndarray:
        return self.tree.outward(self._root, w)


class ChainMetric(Metric):
    """The links of long chains at configurations q, ``(..., nq)``."""

    def __init__(self, tree: RolledTree, q: np.ndarray) -> None:
        self.tree, self.q = tree, q

    def root(self, A: np.ndarray) -> Root:
        return ChainRoot(self.tree, self.q, A)

    def weighted(self, A: np.ndarray) -> np.ndarray:
        if not A.size:
            return A
        rows, q = A.reshape(-1, *A.shape[-2:]), self.q.reshape(-1, self.q.shape[-1])
        found = [self.tree.inward(at, a)[0] for at, a in zip(q, rows, strict=True)]
        return np.array(found).reshape(A.shape)

    def square(self, v: np.ndarray) -> np.ndarray:
        return 2 * self.tree.energies(self.q, v)[0]

    @property
    def diagonal(self) -> np.ndarray:
        return self.tree.mass_diagonal(self.q)


def _root(A: np.ndarray, M: np.ndarray) -> np.ndarray:
    """Return L with L Lᵀ = M, or that of M with inertia from the constraints."""
    try:
        return np.linalg.cholesky(M)
    except np.linalg.LinAlgError:
        pass
    lengths = np.abs(A).max(axis=1, initial=0.0)
    rows = A / np.where(lengths > 0, lengths, 1.0)[:, None]
    try:
        return np.linalg.cholesky(M + (np.abs(M).max(initial=0.0) or 1.0) * rows.T @ rows)
    except np.linalg.LinAlgError:
        return np.eye(len(M))
