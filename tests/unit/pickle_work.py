"""What a worker process does with what it is sent; it imports no test."""

from __future__ import annotations

import numpy as np

import dalembert as da


def make_symbols_in_another_order() -> None:
    """Give symbols other ages than in the parent: commuting operands are ordered by age."""
    global KEPT
    KEPT = [da.coordinates(f"q{i}")[0].dot for i in range(9, 0, -1)] + [*da.parameters("l m g")]


def work(
    model: da.Model, motion: da.Trajectory, equations: da.Equations, e: da.Expr
) -> tuple[list[bytes], str, str, da.Expr]:
    """Return numbers of the model, the text of the equations, and a derivative."""
    q = np.linspace(0.1, 0.9, model.nq)
    numbers = [
        model.mass_matrix(q).tobytes(),
        model.inverse_dynamics(q, q, q).tobytes(),
        model.forward_dynamics(np.stack([q] * 9), np.stack([q] * 9), q).tobytes(),
        motion.resample(motion.t[:3]).q.tobytes(),
    ]
    verdicts = " ".join(proof.verdict for proof in equations.prove())
    return numbers, str(equations), verdicts, e.diff(e.symbols[0])
