"""What ``./demo`` shows: the RP arm of CMU's homework, derived twice and proved equal."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from time import perf_counter

from rich.console import Console
from rich.rule import Rule

from dalembert import textbook
from dalembert.expr import Matrix
from dalembert.mechanics import Equations
from dalembert.ring import equal

console = Console(highlight=False, markup=False, soft_wrap=True)


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
    "rp_arm": rp_arm,
    "derivation": derivation,
    "gallery": gallery,
}


def main() -> None:
    """Run the chosen demonstration."""
    parser = argparse.ArgumentParser(prog="demo", description="Demonstrations of dalembert.")
    parser.add_argument("show", nargs="?", default="rp_arm", choices=list(SHOWS))
    SHOWS[parser.parse_args().show]()


if __name__ == "__main__":
    main()
