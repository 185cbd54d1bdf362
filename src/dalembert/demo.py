"""What ``./demo`` shows: a tour from an arm to its equations, proofs, motion and report."""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from time import perf_counter

import numpy as np
from rich.console import Console
from rich.rule import Rule

from dalembert import textbook
from dalembert.cli.streams import open_streams
from dalembert.expr import Matrix
from dalembert.mechanics import Equations, Proof, System
from dalembert.mechanism import Mechanism
from dalembert.model import Model, compile
from dalembert.report import write
from dalembert.ring import equal
from dalembert.simulation import simulate

console = Console(highlight=False, markup=False, soft_wrap=True)
NEXT = (
    "derive double_pendulum --steps                               a derivation, step by step",
    "simulate panda --controller pd --goal joint4=-2 -o a.png     a motion, and its plot",
    "view panda                                                   the arm in the browser",
)
"""What to try after the tour."""


def tour(folder: Path | None = None) -> None:
    """Derive, prove, compile, simulate and report on the RP arm and on a Panda."""
    start = perf_counter()
    place = folder or Path(tempfile.mkdtemp(prefix="dalembert-demo-"))
    reports = [_tour_rp_arm(place), _tour_panda(place)]
    console.print(Rule("Look at it"))
    console.print(f"All of this took {perf_counter() - start:.1f} s. The reports:")
    for path in reports:
        console.print(f"  {path}")
    console.print("\nNext:")
    python = os.path.relpath(sys.executable)
    for command in NEXT:
        console.print(f"  {python} -m dalembert {command}")


def _tour_rp_arm(folder: Path) -> Path:
    console.print(Rule("A rotating and a sliding joint: exact equations"))
    arm = textbook.rp_arm()
    eq = arm.equations()
    console.print(_indent(str(eq)))
    console.print("\nM =")
    console.print(_indent(str(eq.M)))
    _count(eq.prove())
    again = textbook.rp_arm_maximal().equations().change_coordinates(textbook.rp_arm_positions())
    same = equal(again.residual, eq.residual)
    console.print(f"  {'✓' if same else '✗'} derived again from free rods with joints: the same")
    values = {"m": 1, "l": 1, "g": 9.81}
    model = compile(arm, parameters=values)
    _move(model, np.array([0.5, 0.2]))
    return _report(arm, folder / "rp_arm.html", "RP arm", values)


def _tour_panda(folder: Path) -> Path:
    console.print(Rule("A Panda arm with seven joints: compiled, and proved all the same"))
    arm = textbook.robots.panda()
    console.print(_indent(str(arm)))
    _count(arm.prove())
    model = compile(arm)
    q, qd, tau = np.random.default_rng(0).uniform(-1, 1, (3, 100_000, 7))
    model.forward_dynamics(q[:10], qd[:10], tau[:10])
    start = perf_counter()
    qdd = model.forward_dynamics(q, qd, tau)
    seconds = perf_counter() - start
    back = np.abs(model.inverse_dynamics(q, qd, qdd) - tau).max()
    console.print(
        f"Compiled: {len(q):,} accelerations in {1000 * seconds:.0f} ms; the torques that they "
        f"need are those that were given to {back:.0e} N m"
    )
    _move(model, np.array([0.0, -0.5, 0.0, -2.0, 0.0, 1.5, 0.0]))
    return _report(arm, folder / "panda.html", "Panda", {})


def _count(proofs: Sequence[Proof]) -> None:
    """Print every statement with its verdict."""
    console.print(f"\n{sum(x.is_proved for x in proofs)} of {len(proofs)} statements proved:")
    for proof in proofs:
        console.print(f"  {'✓' if proof.is_proved else '✗'} {proof.statement}")


def _move(model: Model, q: np.ndarray) -> None:
    motion = simulate(model, q, None, 2.0)
    console.print(
        f"Simulated: {motion.status}; the energy account closes to {motion.energy_error:.0e} J"
    )


def _report(arm: System | Mechanism, path: Path, title: str, values: Mapping[str, float]) -> Path:
    write(arm, path, title=title, parameters=dict(values), progress=sys.stderr.isatty())
    console.print(f"Report: {path.stat().st_size / 1000:.0f} kB, needs no network")
    return path


def rp_arm() -> None:
    """Derive CMU problems 1 and 2, print the equations and the proofs."""
    start = perf_counter()
    console.print(Rule("Problem 1: the RP arm in generalized coordinates"))
    generalized = textbook.rp_arm().equations()
    _show(generalized)

    console.print(Rule("Problem 2: the same arm in maximal coordinates"))
    maximal = textbook.rp_arm_maximal().equations()
    _show(maximal)
    console.print("\nConstraint forces, λ in closed form (Aᵀλ acts on the arm):")
    console.print(_indent(str(maximal.multipliers())))

    console.print(Rule("Problem 2.7: one arm, two descriptions"))
    reduced = maximal.change_coordinates(textbook.rp_arm_positions())
    same = equal(reduced.residual, generalized.residual)
    console.print("Substituting q_m = h(q_g) and projecting with H = ∂h/∂q gives")
    console.print(_indent(str(reduced)))
    verdict = "identical to problem 1, exactly" if same else "DIFFERENT from problem 1"
    console.print(f"  {'✓' if same else '✗'} {verdict}")
    console.print(f"\nDerived and proved in {perf_counter() - start:.2f} s.")


def derivation() -> None:
    """Print the derivation of the RP arm step by step."""
    console.print(textbook.rp_arm().equations().derivation().text())


def gallery() -> None:
    """Print the equations of every textbook system."""
    for name in textbook.__all__:
        make = getattr(textbook, name)
        if name in ("planar_chain", "robots", "rp_arm_positions"):
            continue
        made = make()
        console.print(Rule(name))
        console.print(str(made if isinstance(made, Matrix) else made.equations()))


def _show(eq: Equations) -> None:
    console.print("\nEquations of motion:")
    console.print(_indent(str(eq)))
    for name, matrix in (("M", eq.M), ("C", eq.C), ("N", eq.N), ("A", eq.A)):
        if len(matrix) and not (name == "C" and all(x == 0 for x in matrix)):
            console.print(f"\n{name} =")
            console.print(_indent(str(matrix)))
    console.print("\nProofs:")
    for proof in eq.prove():
        console.print(_indent(str(proof)))


def _indent(text: str) -> str:
    return "\n".join(f"  {line}" for line in text.split("\n"))


SHOWS: dict[str, Callable[[], None]] = {
    "tour": tour,
    "rp_arm": rp_arm,
    "derivation": derivation,
    "gallery": gallery,
}


def main() -> None:
    """Run the chosen demonstration."""
    open_streams()
    parser = argparse.ArgumentParser(prog="demo", description="Demonstrations of dalembert.")
    parser.add_argument("show", nargs="?", default="tour", choices=list(SHOWS))
    SHOWS[parser.parse_args().show]()


if __name__ == "__main__":
    main()
