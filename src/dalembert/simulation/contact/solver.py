"""One solver for the forces, impulses and steps of all contacts and dry frictions.

1. Changes of modes, from the modes until now (`pivots`): three rounds as a rule.
2. Where they find none, as where rows nearly depend on each other: the same with springs in series
   with the rows, which become ever stiffer.
3. Else Lemke's method for pyramids in the place of cones gives another guess (`facets`), and in
   space better ones with narrower facets.

Elements that share no load are solved apart. Nothing is enumerated, nothing raises, and the answer
is judged by its residuals, which are computed from the law itself and know nothing of modes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dalembert.simulation.contact.facets import forces_by_facets, modes_of
from dalembert.simulation.contact.pivots import MOVES, Fit, by_changes
from dalembert.simulation.contact.rows import FREE, GIVEN, OPEN, Mode, Problem

GUESSES = ((0, 100.0), (0, 1.0), (2, 100.0), (6, 100.0), (6, 10.0))
"""How often facets are turned and how much softer springs are, one guess after the other."""


SOFTENED = tuple(10.0**-k for k in range(1, 10))
"""Springs in series with rows, beside their mobility, one after the other."""


NOISES = (MOVES, 10 * MOVES, 100 * MOVES)
"""w of a row that moves, beside its terms: rows that depend on each other but for rounding leave
more of it in each other than what they are the sum of tells."""


class Residual(NamedTuple):
    """By how far forces miss the law, ``(k,)`` each.

    Attributes:
        natural: |min(w, W z)| of contacts and |W (T - P(T - w/W))| of frictions, in units of w.
        cone: -N of contacts, |T| - μ N of frictions, in newtons; negative where inside.
    """

    natural: np.ndarray
    cone: np.ndarray


class Effort(NamedTuple):
    """How the solution was found: rounds of changes, and guesses by facets."""

    rounds: int
    guesses: int


class Solution(NamedTuple):
    """Forces or impulses z ``(r,)``, w = W z + b, candidates (`held_forces`), and their modes."""

    z: np.ndarray
    w: np.ndarray
    candidate: np.ndarray
    mode: Mode
    residual: Residual
    is_solved: bool
    effort: Effort


def solve(p: Problem, start: Mode, known: np.ndarray | None = None) -> Solution:
    """Return forces that satisfy the law, with their modes; `Solution.is_solved` tells.

    Args:
        p: Rows and their responses.
        start: A guess, as the modes until now; directions of frictions that are known.
        known: What is known of each friction: `FREE` unless given, `SLIDES` or `GIVEN`.
    """
    k, r = len(p.elements.first), len(p.b)
    known = np.full(k, FREE) if known is None else known
    z, candidate, is_solved = np.zeros(r), np.zeros(r), True
    status, direction = start.status.copy(), start.direction.copy()
    moves, touches, effort = np.full(k, False), np.full(k, False), Effort(0, 0)
    mobile = np.maximum.reduceat(p.mobility, p.elements.first) > 0 if k else np.empty(0, bool)
    # what no force moves has none where nothing is known of it
    inert = ~mobile & (known != GIVEN)
    status[inert] = OPEN
    for island in islands(p):
        chosen = island[~inert[island]]
        if not len(chosen):
            continue
        part, (_, rows) = p.among(chosen), p.elements.among(chosen)
        fit, guess, used = _island(part, start.among(chosen), known[chosen])
        effort = Effort(effort.rounds + used.rounds, effort.guesses + used.guesses)
        if fit is not None:
            z[rows], candidate[rows], found = fit.held.z, fit.held.candidate, fit.mode
        else:
            # springs of the rows share what rigid ones do not: the residual tells how well
            is_solved = False
            if guess is None:
                continue
            z[rows], found = guess, modes_of(part, guess, start.among(chosen), known[chosen])
        status[chosen], direction[chosen] = found.status, found.direction
        moves[chosen], touches[chosen] = found.moves, found.touches
    mode = Mode(status, direction, moves, touches)
    w = p.W @ z + p.b
    return Solution(z, w, candidate, mode, residual(p, z, mode, known), is_solved, effort)


def _island(
    p: Problem, start: Mode, known: np.ndarray
) -> tuple[Fit | None, np.ndarray | None, Effort]:
    """Return forces that fit, or else the best that pyramids gave."""
    fit, z = by_changes(p, start, known), None
    if fit is None:
        fit = _by_stiffer_springs(p, start, known)
    if fit is not None:
        return fit, z, Effort(fit.rounds, 0)
    for number, (turns, softness) in enumerate(GUESSES, 1):
        found = forces_by_facets(p, start, known, turns, softness)
        if found is None:
            continue
        z = found
        fit = by_changes(p, modes_of(p, z, start, known), known)
        if fit is not None:
            return fit, z, Effort(fit.rounds, number)
    return None, z, Effort(0, len(GUESSES))


def _by_stiffer_springs(p: Problem, start: Mode, known: np.ndarray) -> Fit | None:
    """Return forces that fit, from modes of rows with springs in series that become ever stiffer.

    Soft rows share loads however nearly they depend on each other; each guess is near the next.
    """
    for part in SOFTENED:
        soft = p._replace(W=p.W + np.diag(part * p.mobility))
        fit = by_changes(soft, start, known)
        if fit is not None:
            start = fit.mode
    for noise in NOISES:
        fit = by_changes(p, start, known, noise)
        if fit is not None:
            return fit
    return None


def islands(p: Problem) -> list[np.ndarray]:
    """Return the elements that share loads: those that W or a normal force connects."""
    e = p.elements
    k = len(e.first)
    if k <= 1:
        return [np.arange(k)] if k else []
    of_row = np.repeat(np.arange(k), e.size)
    links = np.zeros((k, k), bool)
    rows, columns = np.nonzero(p.W)
    links[of_row[rows], of_row[columns]] = True
    pressed, rows = np.nonzero(p.presses)
    links[pressed, of_row[rows]] = True
    links |= links.T
    found, is_left = [], np.full(k, True)
    while is_left.any():
        island = np.arange(k) == is_left.argmax()
        while True:
            wider = island | links[island].any(axis=0)
            if (wider == island).all():
                break
            island = wider
        found.append(np.flatnonzero(island))
        is_left &= ~island
    return found


def residual(p: Problem, z: np.ndarray, mode: Mode, known: np.ndarray) -> Residual:
    """Return by how far forces miss the law of each element.

    Of modes it takes the directions in which frictions are known to slide, and nothing else.
    """
    e, w = p.elements, p.W @ z + p.b
    natural, cone = np.zeros(len(e.first)), np.zeros(len(e.first))
    for i, (first, size) in enumerate(zip(e.first.tolist(), e.size.tolist(), strict=True)):
        rows = slice(first, first + size)
        T, u, W = z[rows], w[rows], float(p.mobility[rows].max())
        if e.is_contact[i]:
            natural[i], cone[i] = abs(min(float(u[0]), W * float(T[0]))), -float(T[0])
            continue
        N = max(float(p.offset[i] + p.presses[i] @ z), 0.0)
        bound = N * (p.mu_static[i] if known[i] == FREE else p.mu[i])
        cone[i] = np.linalg.norm(T) - bound
        if known[i] == GIVEN:
            aim = -bound * mode.direction[i, :size]
        else:
            aim = T - u / W if W > 0 else T
            length = float(np.linalg.norm(aim))
            aim = aim * min(1.0, bound / length if length > 0 else 1.0)
        natural[i] = W * float(np.linalg.norm(T - aim))
    return Residual(natural, cone)
