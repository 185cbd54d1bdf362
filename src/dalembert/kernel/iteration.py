"""Turns inside a step as expressions, and the three programs that they become.

What no turn changes is computed once, before the first of them: the compiler finds it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from dalembert.errors import InvalidExpression
from dalembert.expr import Expr, as_expr, parameters, substitute
from dalembert.expr.functions import rebuild
from dalembert.expr.graph import postorder
from dalembert.kernel.call.inner import Inner
from dalembert.kernel.call.loop import Loop
from dalembert.kernel.compiler import collection_paused, compile_program
from dalembert.kernel.program.program import Port, Program
from dalembert.kernel.program.trace import flatten, shaped

if TYPE_CHECKING:
    from dalembert.kernel.program.trace import Expressions
    from dalembert.types import Scalar

LITERALS = ("const", "pi")
"""What a program writes down rather than reads."""


@dataclass(frozen=True)
class Iteration:
    """Turns that a step takes until they need no more.

    Args:
        state: What changes from turn to turn: symbols by name. In the outputs of the step they
            stand for what the last turn leaves.
        start: Where they start, expressions by the same names.
        turn: What a turn makes of them.
        stop: A sample goes on while it is positive; of what is before a turn.
        most: How many turns there are at most; there is one or more.
    """

    state: Mapping[str, Sequence[Expr]]
    start: Mapping[str, Sequence[Scalar]]
    turn: Mapping[str, Sequence[Scalar]]
    stop: Expr
    most: int

    def __post_init__(self) -> None:
        sizes = [{k: len(x) for k, x in each.items()} for each in (self.state, self.start)]
        if sizes != [{k: len(x) for k, x in self.turn.items()}] * 2:
            raise InvalidExpression(
                f"expected as many expressions to start from and in a turn as symbols, got "
                f"{sizes[1]} and { ({k: len(x) for k, x in self.turn.items()}) } for {sizes[0]}"
            )

    def substituted(self, values: Mapping[Expr, Expr]) -> Iteration:
        """Return the turns with other expressions in the place of symbols."""

        def lists(part: Mapping[str, Sequence[Scalar]]) -> dict[str, list[Expr]]:
            return {k: substitute([as_expr(y) for y in x], values) for k, x in part.items()}

        (stop,) = substitute([self.stop], values)
        return replace(self, start=lists(self.start), turn=lists(self.turn), stop=stop)


def compile_loop(
    outputs: Mapping[str, Expressions],
    inputs: Mapping[str, Expressions],
    carried: Mapping[str, str],
    stop: str | None = None,
    sequences: Sequence[str] = (),
    turns: Iteration | None = None,
    name: str = "loop",
) -> Loop:
    """Return a loop of expressions; see `Loop` and `Iteration`."""
    if turns is None:
        program, inner = compile_program(outputs, inputs, name=name), None
    else:
        program, inner = compile_iteration(outputs, inputs, turns, name)
    return Loop(program, tuple(carried.items()), stop, tuple(sequences), inner)


def compile_iteration(
    outputs: Mapping[str, Expressions],
    inputs: Mapping[str, Expressions],
    turns: Iteration,
    name: str,
) -> tuple[Program, Inner]:
    """Return the program behind the turns of a step, and these.

    Args:
        outputs: What the step computes, expressions of its inputs and of the state of the turns.
        inputs: Symbols by name.
        turns: What is done between.
        name: The name of the programs.
    """
    with collection_paused():
        hoist = _Hoist({x for symbols in turns.state.values() for x in symbols})
        flat = [as_expr(x) for part in turns.turn.values() for x in part]
        *moved, stop = hoist.replaced([*flat, turns.stop])
        read = dict(hoist.names)
        parts = {k: flatten(x, k) for k, x in outputs.items()}
        shown = [x for _, part in parts.values() for x in part]
        shown = hoist.replaced(shown, keeps_inputs=True)
        behind = {x: symbol for x, symbol in hoist.names.items() if x not in read}
    places, results = iter(moved), iter(shown)
    given = {f"first {k}": x for k, x in turns.state.items()}
    found = {f"next {k}": x for k, x in turns.state.items()}
    start = {f"first {k}": [as_expr(y) for y in x] for k, x in turns.start.items()}
    kept = _named("kept", read)
    start |= {k: list(read) for k in kept}
    after = _named("kept behind", behind)
    start |= {k: list(behind) for k in after}
    turned = {f"next {k}": [next(places) for _ in x] for k, x in turns.state.items()}
    inner = Inner(
        compile_program(start, inputs, name=name),
        compile_program({**turned, "goes on": stop}, {**given, **kept}, name=f"a turn of {name}"),
        tuple((f"next {k}", f"first {k}") for k in turns.state),
        "goes on",
        turns.most,
    )
    last = {
        k: shaped(Port(k, shape), [next(results) for _ in part])
        for k, (shape, part) in parts.items()
    }
    return compile_program(last, {**inputs, **found, **kept, **after}, name=name), inner


def _named(name: str, symbols: Mapping[Expr, Expr]) -> dict[str, list[Expr]]:
    """Return new symbols as one array, or nothing if there are none."""
    return {name: list(symbols.values())} if symbols else {}


class _Hoist:
    """Replaces what does not depend on a state by symbols of its own.

    Attributes:
        names: The new symbols, by what they stand for.
    """

    def __init__(self, state: set[Expr]) -> None:
        self.state = state
        self.names: dict[Expr, Expr] = {}

    def replaced(self, roots: Sequence[Expr], *, keeps_inputs: bool = False) -> list[Expr]:
        """Return expressions of the state and of new symbols; inputs may stay as they are."""
        done: dict[Expr, Expr] = {}
        changes: set[Expr] = set()

        def kept(x: Expr) -> Expr:
            if x.op in LITERALS or (x.op == "symbol" and keeps_inputs):
                return x
            if x.op == "neg":
                # a sign costs nothing
                return -kept(x.args[0])
            if x not in self.names:
                (self.names[x],) = parameters(f"kept_from_turns{len(self.names)}")
            return self.names[x]

        for node in postorder(roots):
            if node in self.state:
                changes.add(node)
                done[node] = node
            elif any(a in changes for a in node.args):
                changes.add(node)
                args = (done[a] if a in changes else kept(a) for a in node.args)
                done[node] = rebuild(node, tuple(args))
        return [done[x] if x in changes else kept(x) for x in roots]
