"""Functions for CasADi: our graph and our compiled code beside CasADi's own graph of the robot.

    python -m benchmarks.casadi_functions [--robot panda] [--quick] [--write-docs]

All are called by CasADi, over 64 states in one call. Its own graph comes from the recursions run
over its symbols, with common subexpressions removed; Jacobians by (q, q̇, third argument) are
CasADi's for both graphs, those of our recursions for the compiled code.
"""

from __future__ import annotations

import argparse
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from rich.progress import track

import dalembert as da
from benchmarks.build import compiler
from benchmarks.peers.casadi_peer import functions, import_casadi
from benchmarks.robots import random_states, robots
from benchmarks.timing import QUICK, THOROUGH, Job, best_of
from dalembert.model import Model
from tools.blocks import write_block

PAGE = Path(__file__).resolve().parents[1] / "docs" / "optimal_control.md"
TASKS = {"inverse_dynamics": "τ(q, q̇, q̈)", "forward_dynamics": "q̈(q, q̇, τ)"}
PEER, GRAPH, COMPILED = "CasADi's own graph", "`model.casadi`", '`model.source("casadi")`'
STATES = 64
TOLERANCE = 1e-9


def compiled(model: Model, folder: Path) -> dict[str, Any]:
    """Return the functions of the generated C, loaded by CasADi."""
    code = model.source("casadi", functions=list(TASKS))
    _, path = code.save(folder)
    library = folder / f"{code.stem}.so"
    flags = ["-O2", "-march=native", "-shared", "-fPIC"]
    subprocess.run([compiler("c"), *flags, str(path), "-o", str(library), "-lm"], check=True)
    return {task: import_casadi().external(f"{code.stem}_{task}", str(library)) for task in TASKS}


def job(f: Any, arrays: Sequence[np.ndarray]) -> tuple[Job, Callable[[], list[np.ndarray]]]:
    """Return the call of a function over all states, and what gives its results."""
    mapped = f.map(STATES)
    buffer, call = mapped.buffer()
    # a Jacobian takes the outputs as well, which it does not read
    rest = [np.zeros((STATES, f.size1_in(k))) for k in range(len(arrays), f.n_in())]
    inputs = [np.ascontiguousarray(x) for x in (*arrays, *rest)]
    outputs = [np.zeros(mapped.nnz_out(k)) for k in range(mapped.n_out())]
    for k, x in enumerate(inputs):
        buffer.set_arg(k, x.data)
    for k, x in enumerate(outputs):
        buffer.set_res(k, x.data)

    def run(passes: int) -> int:
        for _ in range(passes):
            call()
        return passes * STATES

    def results() -> list[np.ndarray]:
        call()
        ca = import_casadi()
        return [
            np.array(ca.densify(ca.DM(mapped.sparsity_out(k), x))) for k, x in enumerate(outputs)
        ]

    # the call works on memory that these arrays own
    run.kept = (buffer, inputs, outputs)  # pyright: ignore[reportFunctionMemberAccess]
    return run, results


def measure(name: str, *, quick: bool) -> str:
    """Return a table of nanoseconds for a robot, after all agreed.

    Raises:
        SystemExit: they do not agree.
    """
    mechanism = robots()[name]()
    model = da.compile(mechanism)
    states = random_states(mechanism, STATES)
    made = functions(mechanism)
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        ours = compiled(model, Path(folder))
        for task, title in track(list(TASKS.items()), description=name):
            arrays = [states.q, states.v, states.a if task == "inverse_dynamics" else states.tau]
            plain = {PEER: made[task], GRAPH: model.casadi(task), COMPILED: ours[task]}
            slopes = {engine: f.jacobian() for engine, f in plain.items()}
            for what, chosen in ((title, plain), (f"its Jacobian, {title}", slopes)):
                jobs = {engine: job(f, arrays) for engine, f in chosen.items()}
                _check(what, {engine: results() for engine, (_, results) in jobs.items()})
                times = best_of(
                    {engine: run for engine, (run, _) in jobs.items()}, QUICK if quick else THOROUGH
                )
                ratios = [f"{t:,.0f} ({times[PEER] / t:.1f}×)" for t in times.values()]
                rows.append(f"| {name} | {what} | {' | '.join(ratios)} |")
    return "\n".join(rows)


def _check(what: str, results: dict[str, list[np.ndarray]]) -> None:
    expected = np.concatenate([x.ravel() for x in results[PEER]])
    for engine, found in results.items():
        error = np.abs(np.concatenate([x.ravel() for x in found]) - expected).max()
        if not error <= TOLERANCE * max(1, np.abs(expected).max()):
            raise SystemExit(f"expected {what} of {engine} as CasADi has it, got {error:.1e} off")


def main() -> None:
    """Print the table; write it into the page where asked."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--robot", action="append", choices=sorted(robots()))
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--write-docs", action="store_true")
    options = parser.parse_args()
    head = [f"| robot | function | {PEER} | {GRAPH} | {COMPILED} |", "|---|---|---|---|---|"]
    chosen = options.robot or ["panda"]
    table = "\n".join([*head, *(measure(name, quick=options.quick) for name in chosen)])
    print(table)
    if options.write_docs:
        write_block(PAGE, "benchmark", table)


if __name__ == "__main__":
    main()
