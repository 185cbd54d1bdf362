"""A text for Coq under construction: the programs of a certificate as definitions, theorems.

It is made from the data of the certificate alone; Motion.v says what expressions mean, and decides.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import reduce
from typing import Any, TypeAlias

from dalembert.errors import InvalidExpression

Data: TypeAlias = Mapping[str, Any]
Term: TypeAlias = str
"""The name of a definition, or ZERO."""
Vector: TypeAlias = list[Term]

ZERO = "(Num 0)"
ONE = "(Num 1)"


class NotInCoq(InvalidExpression):
    """A step that Motion.v has no rule for."""


class Text:
    """A text for Coq under construction: equal expressions get one definition."""

    def __init__(self, data: Data) -> None:
        self.data = data
        self.q: list[str] = data["coordinates"]
        self.n = range(len(self.q))
        moving = [x + rate for rate in ("", ".dot", ".ddot") for x in self.q]
        others = [x for part in ("parameters", "inputs", "multipliers") for x in data[part]]
        self.place = {x: k for k, x in enumerate([*moving, "t", *others, "pi"], 1)}
        self.definitions: list[str] = []
        self.names: dict[str, Term] = {}
        self.angles: list[Term] = []
        self.theorems: list[str] = []
        self.qd = [self.variable(x + ".dot") for x in self.q]
        self.qdd = [self.variable(x + ".ddot") for x in self.q]
        described, claimed = data["description"], data["claimed"]
        self.given = self.parts(described)
        self.made = self.parts(claimed)

    # ---- expressions

    def define(self, text: str) -> Term:
        if text not in self.names:
            self.names[text] = f"e{len(self.definitions)}"
            self.definitions.append(f"Definition {self.names[text]} := {text}.")
        return self.names[text]

    def variable(self, name: str) -> Term:
        return self.define(f"Var {self.place[name]}")

    def number(self, x: Fraction) -> Term:
        if x == 0:
            return ZERO
        return ONE if x == 1 else self.define(f"Num ({x.numerator} # {x.denominator})")

    def sum(self, *terms: Term) -> Term:
        found = [x for x in terms if x != ZERO]
        return reduce(lambda a, b: self.define(f"add {a} {b}"), found) if found else ZERO

    def difference(self, a: Term, b: Term) -> Term:
        return a if b == ZERO else self.define(f"sub {a} {b}")

    def negative(self, a: Term) -> Term:
        return a if a == ZERO else self.define(f"Opp {a}")

    def product(self, *terms: Term) -> Term:
        if ZERO in terms:
            return ZERO
        found = [x for x in terms if x != ONE]
        return reduce(lambda a, b: self.define(f"mul {a} {b}"), found) if found else ONE

    def times(self, x: Fraction, a: Term) -> Term:
        return self.product(self.number(x), a)

    def dot(self, a: Iterable[Term], b: Iterable[Term]) -> Term:
        return self.sum(*(self.product(x, y) for x, y in zip(a, b, strict=True)))

    def plus(self, *vectors: Vector) -> Vector:
        return [self.sum(*entries) for entries in zip(*vectors, strict=True)]

    def cross(self, a: Vector, b: Vector) -> Vector:
        return [
            self.difference(self.product(a[i - 2], b[i - 1]), self.product(a[i - 1], b[i - 2]))
            for i in range(3)
        ]

    def ddt(self, a: Term) -> Term:
        return ZERO if a in (ZERO, ONE) else self.define(f"D dt {a}")

    def by(self, name: str) -> Callable[[Term], Term]:
        """Return the derivative by a variable."""
        k = self.place[name]
        return lambda a: ZERO if a in (ZERO, ONE) else self.define(f"D (d {k}) {a}")

    # ---- programs

    def parts(self, part: Data) -> dict[str, Any]:
        """Return the parts of a description, of equations or of code as terms."""
        values = self.run(part["program"])

        def put(x: Any, key: str = "") -> Any:
            if isinstance(x, dict):
                return {k: put(v, k) for k, v in x.items()}
            if isinstance(x, list):
                return [put(v, key) for v in x]
            return x if key in ("parent", "function") or not isinstance(x, int) else values[x]

        standing = part.get("standing", [])
        kept = {k: v for k, v in part.items() if k not in ("program", "standing")}
        steps = [[k, values[u], [[r, values[a]] for r, a in c]] for k, u, c in standing]
        return put(kept) | {"standing": steps}

    def run(self, program: Sequence[list[Any]]) -> list[Term]:
        values: list[Term] = []
        for op, *args in program:
            values.append(self.step(op, args, values))
        return values

    def step(self, op: str, args: list[Any], values: list[Term]) -> Term:
        match op:
            case "num":
                return self.number(Fraction(args[0]))
            case "sym":
                return self.variable(args[0])
            case "sum":
                return self.sum(*(values[i] for i in args))
            case "sub":
                return self.difference(values[args[0]], values[args[1]])
            case "mul":
                return self.product(values[args[0]], values[args[1]])
            case "neg":
                return self.negative(values[args[0]])
            case "pow":
                return self.product(*[values[args[0]]] * args[1])
            case "cos" | "sin":
                return self.sine(op, args[1], values)
        raise NotInCoq(
            f"expected sums, products, sines and cosines for Coq, got {op}: the checker in Python "
            "has rules for it, Motion.v has none"
        )

    def sine(self, op: str, parts: list[list[int]], values: list[Term]) -> Term:
        terms: list[Term] = []
        for i, n in parts:
            u = values[i]
            if u not in self.angles:
                self.angles.append(u)
            terms += [u if n > 0 else self.define(f"Opp {u}")] * abs(n)
        if not terms:
            return ONE if op == "cos" else ZERO
        angle = reduce(lambda a, b: self.define(f"Add {a} {b}"), terms)
        return self.define(f"{op.title()} {angle}")

    # ---- theorems

    def vanish(self, name: str, terms: Iterable[Term]) -> None:
        """State that expressions vanish for all values of the variables."""
        found = "; ".join(x for x in terms if x != ZERO)
        self.theorems.append(
            f"Definition {name}_list : list E := [{found}].\n"
            f"Theorem {name} : forall v e, In e {name}_list -> ev v e = 0%R.\n"
            "Proof. apply (all_zero_ok angles). vm_cast_no_check (eq_refl true). Qed."
        )

    def theorem(self, name: str, statement: str, lemma: str) -> None:
        """State what a lemma of Motion.v concludes from a computation."""
        proof = f"Proof. apply {lemma}. vm_cast_no_check (eq_refl true). Qed."
        self.theorems.append(f"Theorem {name} : {statement}.\n{proof}")

    def text(self, names: Sequence[str]) -> str:
        """Return the whole text, with the assumptions of the theorems of these names."""
        data, n = self.data, len(self.q)
        variables = ", ".join(f"{k} {x}" for x, k in self.place.items())
        rates = [f"| {k} => Var {n + k} | {n + k} => Var {2 * n + k}" for k in range(1, n + 1)]
        unknown = [x + ".ddot" for x in self.q] + data["inputs"] + data["multipliers"]
        positive = [*data["positive"], "pi"]
        return "\n".join(
            [
                f"(* The claims of a certificate of {data['name']}. Compile Motion.v first.",
                f"   Variables: {variables} *)",
                "Require Import Reals QArith List. Import ListNotations.",
                "Require Import Motion. Open Scope positive_scope.",
                (
                    f"Definition dt (i : positive) : E := match i with {' '.join(rates)}"
                    f" | {self.place['t']} => Num 1 | _ => Num 0 end."
                ),
                *self.definitions,
                f"Definition angles : list E := [{'; '.join(self.angles)}].",
                f"Definition unknown : list positive := [{self.places(unknown)}].",
                f"Definition positive_ones : list positive := [{self.places(positive)}].",
                *self.theorems,
                f"Definition everything := ({', '.join(names)}).",
                "Print Assumptions everything.",
                "",
            ]
        )

    def places(self, names: Iterable[str]) -> str:
        return "; ".join(str(self.place[x]) for x in names)
