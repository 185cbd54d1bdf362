"""`dalembert bench`: how fast the functions of a model are on this machine."""

from collections.abc import Callable
from time import perf_counter
from typing import Annotated

import typer

from dalembert.cli.command import Parts, command
from dalembert.cli.find import find
from dalembert.cli.options import Allow, File, Values
from dalembert.cli.output import Part, working

FUNCTIONS = ("inverse_dynamics", "mass_matrix", "forward_dynamics", "forward_dynamics_derivatives")
SECONDS = 0.1
"""How long a function is called for, at least, in each of `TRIES`."""
TRIES = 3


@command
def bench(
    file: File,
    batch: Annotated[int, typer.Option(help="States in a batch.", min=1, max=10_000_000)] = 10_000,
    value: Values = None,
    allow: Allow = None,
) -> Parts:
    """Time the dynamics of a robot or system: compiling, one state, and a batch of states."""
    import numpy as np

    subject = find(file, allow, value)
    model = subject.numeric_model()
    rng = np.random.default_rng(0)
    q = model.random_configuration(0, batch)
    qd, other = rng.uniform(-1, 1, (2, batch, model.nv))
    u = rng.uniform(-1, 1, (batch, len(model.symbols.inputs)))
    timed = {"t": 0.0} if model.description.is_timed else {}
    arrays = {
        "inverse_dynamics": (q, qd, other),
        "mass_matrix": (q,),
        "forward_dynamics": (q, qd, u),
        "forward_dynamics_derivatives": (q, qd, u),
    }
    for name in FUNCTIONS:
        if name.endswith("derivatives") and model.description.has_constraints:
            continue
        with working(f"timing {name}"):
            start = perf_counter()
            model.call(name, *(x[0] for x in arrays[name]), **timed)
            compiled = perf_counter() - start
            function = getattr(model, name)
            one = tuple(np.ascontiguousarray(x[0]) for x in arrays[name])
            single = _seconds(lambda f=function, a=one: f(*a, **timed))
            many = _seconds(lambda f=function, a=arrays[name]: f(*a, **timed)) / batch
        data = {"compile_s": compiled, "one_state_s": single, "batch_s_per_state": many}
        text = (
            f"{name}: compiled in {compiled:.2f} s; {single * 1e6:.2f} µs a call; "
            f"{many * 1e9:,.0f} ns a state in batches of {batch:,} ({1 / many:,.0f} states/s)"
        )
        yield Part(name, data, text)


def _seconds(work: Callable[[], object]) -> float:
    """Return the seconds of one call, the best of some tries."""
    count, best = 1, float("inf")
    while True:
        start = perf_counter()
        for _ in range(count):
            work()
        if (used := perf_counter() - start) >= SECONDS / 10:
            break
        count *= 4
    count = max(1, round(count * SECONDS / used))
    for _ in range(TRIES):
        start = perf_counter()
        for _ in range(count):
            work()
        best = min(best, (perf_counter() - start) / count)
    return best
