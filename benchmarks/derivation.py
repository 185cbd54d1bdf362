"""Time derivations: planar n-link chains from a raw Lagrangian, beside SymPy, and robot arms.

    python -m benchmarks.derivation [--links 8] [--peer-links 6] [--no-arms] [--json FILE]

Both start from symbols and build positions, energies and L themselves. dalembert goes on to the
canonical M, C and N as expressions, then to the printed equations; SymPy's LagrangesMethod stops at
its unsimplified mass matrix and forcing, which are printed as they are. Every time includes the
derivation. Times are the best of several runs for dalembert and a single run for SymPy (its cache
is cleared); the ratio is that of the expressions.

The arms start from a mechanism with every inertial parameter and every length a symbol and end with
the exact M, C from the Christoffel symbols and N; "Newton–Euler" proves that the recursion is equal
to it, term by term, and "base" finds the base parameters.
"""

from __future__ import annotations

import argparse
import gc
import json
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Any

from rich.console import Console
from rich.progress import Progress
from rich.table import Table

import dalembert as da
from dalembert.mechanics.robots.base_parameters import base_parameters
from dalembert.mechanics.robots.equations import over_ring
from dalembert.mechanics.robots.proofs import newton_euler_is_lagrange
from dalembert.recursions.tree import Tree

REPEATS = 5
ARMS: dict[str, Callable[[], da.Mechanism]] = {
    "PUMA 560, 6R": da.textbook.robots.puma560_symbolic,
    "PUMA 560, 6R, about centres of mass": lambda: da.textbook.robots.puma560().symbolic(),
    "Stanford arm, 2RP3R": lambda: da.textbook.robots.stanford_arm().symbolic(),
    "Panda, 7R": lambda: da.textbook.robots.panda().symbolic(),
    "iiwa 14, 7R": lambda: da.textbook.robots.iiwa14().symbolic(),
}


def chain(n: int) -> da.Equations:
    """Derive M, C, N of a chain of n point masses from T and V."""
    q = da.coordinates(" ".join(f"q{i}" for i in range(n)))
    m = da.parameters(" ".join(f"m{i}" for i in range(n)))
    l = da.parameters(" ".join(f"l{i}" for i in range(n)))
    (g,) = da.parameters("g")
    x = y = angle = T = V = 0
    for i in range(n):
        angle = angle + q[i]
        x, y = x + l[i] * da.cos(angle), y + l[i] * da.sin(angle)
        T = T + m[i] * (da.ddt(x) ** 2 + da.ddt(y) ** 2) / 2
        V = V + m[i] * g * y
    return da.System(kinetic=T, potential=V, coordinates=q).equations()


def expressions(n: int) -> list[da.Expr]:
    """Return every entry of M, C and N of the chain."""
    eq = chain(n)
    return [*eq.M.entries, *eq.C.entries, *eq.N.entries]


def printed(n: int) -> str:
    """Return the printed equations of the chain."""
    return str(chain(n))


def chain_by_sympy(n: int) -> Any:
    """Derive the unsimplified equations of the same chain with SymPy."""
    import sympy
    from sympy.core.cache import clear_cache
    from sympy.physics.mechanics import LagrangesMethod, dynamicsymbols

    clear_cache()
    t = dynamicsymbols._t
    q = dynamicsymbols(" ".join(f"q{i}" for i in range(n)))
    q = list(q) if n > 1 else [q]
    m = sympy.symbols(" ".join(f"m{i}" for i in range(n)), seq=True)
    l = sympy.symbols(" ".join(f"l{i}" for i in range(n)), seq=True)
    g = sympy.Symbol("g")
    x = y = angle = T = V = sympy.Integer(0)
    for i in range(n):
        angle = angle + q[i]
        x, y = x + l[i] * sympy.cos(angle), y + l[i] * sympy.sin(angle)
        T = T + m[i] * (x.diff(t) ** 2 + y.diff(t) ** 2) / 2
        V = V + m[i] * g * y
    method = LagrangesMethod(T - V, q)
    method.form_lagranges_equations()
    return method.mass_matrix, method.forcing


def printed_by_sympy(n: int) -> str:
    """Return SymPy's mass matrix and forcing as text."""
    return "\n".join(map(str, chain_by_sympy(n)))


def timed(job: Callable[[], Any], repeats: int) -> float:
    """Return the shortest time of the job in seconds."""
    best = float("inf")
    for _ in range(repeats):
        gc.collect()
        start = perf_counter()
        job()
        best = min(best, perf_counter() - start)
    return best


def measure(links: int, peer_links: int, console: Console) -> list[dict[str, Any]]:
    """Return one row for each number of links."""
    rows = []
    with Progress(console=console, transient=True) as progress:
        task = progress.add_task("planar chains", total=links - 1 + max(0, peer_links - 1))
        chain(2)  # first use: imports
        for n in range(2, links + 1):
            progress.update(task, description=f"dalembert, {n} links")
            ours = timed(lambda n=n: chain(n), REPEATS)
            as_expressions = timed(lambda n=n: expressions(n), REPEATS)
            as_text = timed(lambda n=n: printed(n), 2)
            start = perf_counter()
            eq = chain(n)
            proofs = eq.prove()
            proved = perf_counter() - start
            row: dict[str, Any] = {
                "links": n,
                "dalembert_s": ours,
                "expressions_s": as_expressions,
                "printed_s": as_text,
                "characters": len(printed(n)),
                "with_proofs_s": proved,
                "all_proved": all(p.is_proved for p in proofs),
                "terms": sum(len(x) for a in (eq.forms.M, eq.forms.C, eq.forms.N) for x in a),
            }
            progress.advance(task)
            if n <= peer_links:
                progress.update(task, description=f"SymPy, {n} links")
                row["sympy_s"] = timed(lambda n=n: chain_by_sympy(n), 1)
                row["sympy_printed_s"] = timed(lambda n=n: printed_by_sympy(n), 1)
                row["ratio"] = row["sympy_s"] / as_expressions
                progress.advance(task)
            rows.append(row)
    return rows


def measure_arms(console: Console) -> list[dict[str, Any]]:
    """Return one row for each arm."""
    rows = []
    with Progress(console=console, transient=True) as progress:
        task = progress.add_task("arms", total=len(ARMS))
        for name, make in ARMS.items():
            progress.update(task, description=name)
            arm = make()
            derived = timed(arm.equations, REPEATS)
            eq = arm.equations()
            as_text = timed(lambda eq=eq: str(eq), 1)
            start = perf_counter()
            proof = newton_euler_is_lagrange(over_ring(Tree.of(arm), eq.ring), eq)
            proved = perf_counter() - start
            start = perf_counter()
            base = base_parameters(arm)
            row: dict[str, Any] = {
                "arm": name,
                "parameters": len(arm.parameters),
                "terms": sum(len(x) for a in (eq.forms.M, eq.forms.C, eq.forms.N) for x in a),
                "equations_s": derived,
                "printed_s": as_text,
                "newton_euler_s": proved,
                "proved": proof.is_proved,
                "base_parameters": len(base),
                "base_parameters_s": perf_counter() - start,
            }
            rows.append(row)
            progress.advance(task)
    return rows


def arm_table(rows: list[dict[str, Any]]) -> Table:
    """Return the rows of the arms as a table."""
    result = Table(title="Robot arms, all inertial parameters and lengths symbolic")
    result.add_column("arm")
    titles = ("parameters", "terms", "M, C, N", "printed", "Newton–Euler", "proved", "base", "time")
    for title in titles:
        result.add_column(title, justify="right")
    for row in rows:
        result.add_row(
            row["arm"],
            str(row["parameters"]),
            f"{row['terms']:,}",
            f"{1e3 * row['equations_s']:.0f} ms",
            f"{row['printed_s']:.1f} s",
            f"{1e3 * row['newton_euler_s']:.0f} ms",
            "yes" if row["proved"] else "NO",
            str(row["base_parameters"]),
            f"{row['base_parameters_s']:.1f} s",
        )
    return result


def table(rows: list[dict[str, Any]]) -> Table:
    """Return the rows as a table."""
    result = Table(title="Planar n-link chain from a raw Lagrangian")
    titles = ("links", "terms", "derived", "M, C, N", "printed", "with proofs", "proved")
    for title in (*titles, "SymPy", "printed", "ratio"):
        result.add_column(title, justify="right")
    for row in rows:
        peer = f"{row['sympy_s']:.2f} s" if "sympy_s" in row else "-"
        peer_text = f"{row['sympy_printed_s']:.2f} s" if "sympy_s" in row else "-"
        ratio = f"{row['ratio']:.0f}×" if "ratio" in row else "-"
        result.add_row(
            str(row["links"]),
            f"{row['terms']:,}",
            f"{1e3 * row['dalembert_s']:.1f} ms",
            f"{1e3 * row['expressions_s']:.1f} ms",
            f"{1e3 * row['printed_s']:.0f} ms",
            f"{1e3 * row['with_proofs_s']:.0f} ms",
            "all" if row["all_proved"] else "NOT ALL",
            peer,
            peer_text,
            ratio,
        )
    return result


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--links", type=int, default=8, help="longest chain for dalembert")
    parser.add_argument("--peer-links", type=int, default=6, help="longest chain for SymPy")
    parser.add_argument("--no-arms", action="store_true", help="leave out the robot arms")
    parser.add_argument("--json", type=Path, help="write the rows to this file")
    options = parser.parse_args()
    console = Console()
    rows = measure(options.links, options.peer_links, console)
    console.print(table(rows))
    if not options.no_arms:
        arms = measure_arms(console)
        console.print(arm_table(arms))
        rows += arms
    if options.json:
        options.json.write_text(json.dumps(rows, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
