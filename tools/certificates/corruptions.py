"""Random corruptions of certificates, each of one kind, at one place."""

from __future__ import annotations

import copy
import random
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from dalembert.certificates.check import CLAIMS, CODE, NAMES

Data = dict[str, Any]


class NothingHere(Exception):
    """The certificate has no place for this kind."""


class Place:
    """One program of a certificate, and what a corruption needs to know of all of it."""

    def __init__(self, data: Data, draw: random.Random) -> None:
        self.data, self.draw = data, draw
        parts = [data["description"], data["claimed"], *data.get("code", [])]
        self.part = draw.choice(parts)
        self.program: list[list[Any]] = self.part["program"]
        moving = [x + rate for rate in ("", ".dot", ".ddot") for x in data["coordinates"]]
        others = [x for part in NAMES[1:4] for x in data[part]]
        self.names = [*moving, *others, "t", "pi"]

    def pick(self, items: Any) -> Any:
        """Return one of them."""
        items = list(items)
        if not items:
            raise NothingHere
        return self.draw.choice(items)

    def of(self, *ops: str) -> int:
        """Return the number of a step with one of these operations."""
        return self.pick(i for i, step in enumerate(self.program) if step[0] in ops)

    def add(self, *step: Any) -> int:
        """Append a step."""
        self.program.append(list(step))
        return len(self.program) - 1

    def indices(self, names: Any) -> list[tuple[Any, ...]]:
        """Return the paths of all whole numbers in parts of these names."""
        found: list[tuple[Any, ...]] = []

        def walk(x: Any, path: tuple[Any, ...]) -> None:
            if isinstance(x, dict | list):
                for k, v in x.items() if isinstance(x, dict) else enumerate(x):
                    walk(v, (*path, k))
            elif type(x) is int:
                found.append(path)

        for name in names:
            if name in self.part:
                walk(self.part[name], (name,))
        return found


def coefficient(at: Place) -> None:
    """A number is changed, also by very little."""
    i = at.of("num")
    x = Fraction(at.program[i][1])
    tiny = Fraction(1, 10**30)
    at.program[i][1] = str(at.pick((x + 1, -x, 2 * x, x * 0, x + tiny, x * (1 + tiny))))


def dropped_term(at: Place) -> None:
    """A term of a sum is missing."""
    i = at.of("sum", "sub")
    op, *terms = at.program[i]
    left = at.draw.randrange(len(terms))
    at.program[i] = ["sum", *(x for k, x in enumerate(terms) if k != left or (op == "sub" and k))]


def sign(at: Place) -> None:
    """A sum is a difference, a negative is none."""
    i = at.of("sum", "sub", "neg")
    op, *args = at.program[i]
    if op == "neg" or op == "sub":
        at.program[i] = ["sum", *args]
    elif len(args) == 2:
        at.program[i] = ["sub", *args]
    else:
        raise NothingHere


def operand(at: Place) -> None:
    """A step takes another number than it did."""
    i = at.of("sum", "sub", "mul", "neg", "inv", "sqrt", "pow")
    last = 1 if at.program[i][0] == "pow" else len(at.program[i]) - 1
    at.program[i][at.draw.randint(1, last)] = at.draw.randrange(max(1, i))


def repeated_term(at: Place) -> None:
    """A term of a sum stands there twice."""
    i = at.of("sum")
    at.program[i].append(at.pick(at.program[i][1:]))


def power(at: Place) -> None:
    """A power or a product has another exponent."""
    i = at.of("pow", "mul")
    at.program[i] = ["pow", at.program[i][1], at.draw.randrange(1, 5)]


def operation(at: Place) -> None:
    """A step does something else with the same numbers."""
    i = at.of("mul", "sub", "sqrt", "inv", "neg")
    op = at.program[i][0]
    one = ("neg", "inv", "sqrt", "tanh", "abs", "sign")
    at.program[i][0] = at.pick(x for x in (one if op in one else ("mul", "sub", "sum")) if x != op)


def symbol(at: Place) -> None:
    """A symbol is another one."""
    at.program[at.of("sym")][1] = at.pick(at.names)


def angle(at: Place) -> None:
    """A sine is a cosine, of another angle, or of a sum that it is not."""
    i = at.of("cos", "sin")
    step = at.program[i]
    match at.draw.randrange(4):
        case 0:
            step[0] = {"cos": "sin", "sin": "cos"}[step[0]]
        case 1:
            at.pick(step[2])[1] += at.pick((-1, 1, 2))
        case 2:
            at.pick(step[2])[0] = at.draw.randrange(i)
        case _:
            step[1] = at.draw.randrange(i)
            step[2] = [[step[1], 1]] if at.draw.random() < 0.5 else step[2]


def part(at: Place) -> None:
    """An entry of a matrix, of a body or of a result is another step."""
    witness = ("squares", "standing", "Y", "theta")
    names = [name for name in at.part if name not in ("program", "function", *witness)]
    _move(at, names)


def witness(at: Place) -> None:
    """The data that show M ≻ 0 and linearity are changed."""
    at.part, at.program = at.data["claimed"], at.data["claimed"]["program"]
    _move(at, ("squares", "standing", "Y", "theta"))


def _move(at: Place, names: Any) -> None:
    *path, last = at.pick(at.indices(names))
    x: Any = at.part
    for k in path:
        x = x[k]
    x[last] = at.draw.randrange(-1 if last == "parent" else 0, len(at.program))


def swapped(at: Place) -> None:
    """Two parts, rows or entries have changed places."""
    lists = [v for k, v in at.part.items() if isinstance(v, list) and len(v) > 1 and k != "program"]
    x = at.pick(lists)
    i, j = at.draw.sample(range(len(x)), 2)
    x[i], x[j] = x[j], x[i]


def shape(at: Place) -> None:
    """A list is longer, shorter, or reversed."""
    x = at.pick(v for k, v in at.part.items() if isinstance(v, list) and v and k != "program")
    at.pick((lambda: x.pop(), lambda: x.append(copy.deepcopy(x[0])), lambda: x.reverse()))()


def positive(at: Place) -> None:
    """Other parameters are assumed positive."""
    listed = at.data["positive"]
    match at.draw.randrange(3):
        case 0:
            listed.remove(at.pick(listed))
        case 1:
            listed.append(at.pick(at.names))
        case _:
            at.data["positive"] = []


def names(at: Place) -> None:
    """Names are in another order, of another kind, or other names."""
    key = at.pick(NAMES[:4])
    x = at.data[key]
    match at.draw.randrange(4):
        case 0:
            x.reverse()
        case 1:
            x.append(at.pick(at.names))
        case 2:
            moved = x.pop(x.index(at.pick(x)))
            at.data[at.pick(("parameters", "inputs", "coordinates"))].append(moved)
        case _:
            x[x.index(at.pick(x))] = at.pick(at.names)


def claims(at: Place) -> None:
    """A claim more, or a claim less."""
    made = at.data["claims"]
    if at.draw.random() < 0.5:
        made.append(at.pick(x for x in CLAIMS if x not in made))
    else:
        made.remove(at.pick(made))


def state(at: Place) -> None:
    """The state at which the conditions hold is another one."""
    at.data["state"][at.pick(at.data["state"])] = at.pick(("0", "-1", "-3/7", "1000000"))


def vacuous(at: Place) -> None:
    """Something that is nowhere defined is added, times zero."""
    x = at.of("sym")
    square, one, zero = at.add("mul", x, x), at.add("num", "1"), at.add("num", "0")
    below = at.add("neg", at.add("sum", square, one))
    nothing = at.add("sub", square, at.add("mul", x, x))
    hidden = at.add("sub", at.add("sqrt", square), at.add("abs", x))
    bad = at.pick((("sqrt", below), ("inv", nothing), ("inv", hidden)))
    spoil = at.add("mul", zero, at.add(*bad))
    *path, last = at.pick(
        at.indices(k for k in at.part if k not in ("program", "squares", "standing"))
    )
    y: Any = at.part
    for k in path:
        y = y[k]
    if last == "parent":
        raise NothingHere
    y[last] = at.add("sum", y[last], spoil)


def moved_between_M_and_N(at: Place) -> None:
    """M q̈ is in N, or C q̇ is: the sum is the same, its parts are not."""
    claimed = at.data["claimed"]
    at.part, at.program = claimed, claimed["program"]
    k = at.draw.randrange(len(claimed["N"]))
    j = at.draw.randrange(len(claimed["N"]))
    letter, rate = at.pick((("M", ".ddot"), ("C", ".dot")))
    rate_step = at.add("sym", at.data["coordinates"][j] + rate)
    product = at.add("mul", claimed[letter][k][j], rate_step)
    claimed["N"][k] = at.add("sum", claimed["N"][k], product)
    claimed[letter][k][j] = at.add("num", "0")


def reflected(at: Place) -> None:
    """The axes of a body are mirrored, or not of length one."""
    bodies = [b for b in at.data["description"].get("bodies", []) if "rotation" in b]
    body = at.pick(bodies)
    at.part, at.program = at.data["description"], at.data["description"]["program"]
    factor = at.add("num", at.pick(("-1", "2", "0")))
    for row in body["rotation"]:
        k = 0
        row[k] = at.add("mul", row[k], factor)


def code(at: Place) -> None:
    """Code computes something else than its name says."""
    found = at.pick(at.data.get("code", []))
    found["function"] = at.pick(x for x in CODE if x != found["function"])


KINDS: dict[str, Callable[[Place], None]] = {
    f.__name__.replace("_", " "): f
    for f in (
        *(coefficient, dropped_term, sign, operand, repeated_term, power, operation, symbol, angle),
        *(part, witness, swapped, shape, positive, names, claims, state, vacuous),
        *(moved_between_M_and_N, reflected, code),
    )
}


def corrupted(data: Data, kind: str, draw: random.Random) -> Data | None:
    """Return a certificate with one corruption of a kind; None where there is no place for it."""
    for _ in range(20):
        bad = copy.deepcopy(data)
        try:
            KINDS[kind](Place(bad, draw))
        except (NothingHere, ValueError):
            continue
        if bad != data:
            return bad
    return None
