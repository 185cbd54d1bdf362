"""Equations of motion with a proof that needs neither dalembert nor trust in it."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple

from dalembert.certificates import check
from dalembert.certificates.angles import Forms, Names, Units, units_of
from dalembert.certificates.claims import Claims
from dalembert.certificates.description import described
from dalembert.certificates.steps import Nested, Steps, Writer, traced
from dalembert.display import Printed
from dalembert.errors import InvalidSystem, TooLarge
from dalembert.expr import Expr, Kind, as_expr, free_symbols, is_kind, symbol_text, time
from dalembert.files import Path, write_whole
from dalembert.kernel.program.program import Program
from dalembert.mechanics.equations.equations import Equations

MAX_STATES = 50
"""Rational states that are tried until the hypotheses hold at one."""
PARTIAL = ("inv", "sqrt")
"""Steps that have no value at some states."""
CODE_CLAIM = "code_computes_the_equations"


class Code(NamedTuple):
    """Code that claims to compute the equations.

    Attributes:
        function: What of them: a key of `check.CODE`.
        program: The very program that is compiled.
        inputs: The symbols that stand for each of its inputs.
    """

    function: str
    program: Program
    inputs: Mapping[str, Sequence[Expr]]


@dataclass(frozen=True)
class Certificate(Printed):
    """Claims about equations of motion as data, which `certificates/check.py` verifies alone.

    Attributes:
        data: What the file says.
        missing: Claims that it does not make, each with the reason.
    """

    data: Mapping[str, Any]
    missing: Mapping[str, str] = field(default_factory=dict)

    @property
    def claims(self) -> tuple[str, ...]:
        """The claims by name."""
        return tuple(self.data["claims"])

    @cached_property
    def text(self) -> str:
        """The file as text."""
        return json.dumps(self.data, separators=(",", ":")) + "\n"

    def check(self) -> dict[str, int]:
        """Run the checker on the text; return the number of identities of each claim.

        Raises:
            TooLarge: the checker refuses it: it needs too much work, or is wrong.
        """
        try:
            return check.check(check.read(self.text.encode()))[1]
        except check.Refused as refusal:
            raise TooLarge(f"expected claims that the checker accepts, got: {refusal}") from None

    def save(self, path: Path) -> None:
        """Write the file."""
        write_whole(path, self.text.encode())

    def coq(self) -> str:
        """Return the claims as theorems for Coq, to be compiled beside `certificates/Motion.v`.

        Raises:
            InvalidExpression: there are roots, quotients or functions that Motion.v does not know.
        """
        from dalembert.certificates.coq import coq

        return coq(self.data)

    def __str__(self) -> str:
        lines = [f"certificate of {self.data['name']}, {len(self.text):,} bytes"]
        lines += [f"✓ {name.replace('_', ' ')}" for name in self.claims]
        lines += [f"- {name.replace('_', ' ')}: {why}" for name, why in self.missing.items()]
        return "\n".join(lines)


def certify(eq: Equations, name: str, code: Sequence[Code] = ()) -> Certificate:
    """Return the certificate of some equations, with all claims that the checker accepts.

    Raises:
        InvalidExpression: the equations have a function that the checker has no rules for.
        InvalidSystem: the checker refuses the equations themselves, as for kinks of an energy.
        TooLarge: they are too large to be multiplied out.
    """
    draft = _Draft(eq, name, code)
    while True:
        data = draft.data()
        try:
            check.check(check.read(json.dumps(data).encode()))
        except check.Refused as refusal:
            draft.give_way(refusal)
            continue
        return Certificate(data, draft.missing)


class _Draft:
    """A certificate under construction: what the checker refuses is given up, if it may be."""

    def __init__(self, eq: Equations, name: str, code: Sequence[Code]) -> None:
        self.eq, self.code = eq, list(code)
        self.title = re.sub(r"[^A-Za-z0-9_ .:,()+-]", "_", name)[:100] or "system"
        self.description, self.claims = described(eq), Claims(eq)
        self.missing = self.claims.missing
        self.symbols = self._symbols()
        self.names = _names(self.symbols)
        self.draw, self.states = random.Random(0), 0
        self.state = self._drawn()

    def _symbols(self) -> list[Expr]:
        """Return all symbols that may occur, without the rates that nobody names."""
        s = self.eq.system
        moving = [*s.coordinates, *s.velocities, *s.accelerations, time, *self.eq.lam]
        found = free_symbols(_leaves([self.description, self.claims.parts]))
        found += [x for c in self.code for xs in c.inputs.values() for x in xs if _is_parameter(x)]
        return list(dict.fromkeys([*moving, *found]))

    def data(self) -> dict[str, Any]:
        """Return what the file says."""
        parts = {"description": self.description, "claimed": self.claims.parts}
        drafts = {key: traced(nested, self.symbols) for key, nested in parts.items()}
        names: Names = {(0, k): self.names[x] for k, x in enumerate(self.symbols)}
        programs = [(program, names) for program, _ in drafts.values()]
        programs += [(c.program, self._inputs(c)) for c in self.code]
        units = units_of(form for p, n in programs for form in Forms(p, n).arguments())

        data: dict[str, Any] = {"format": check.FORMAT, "name": self.title}
        data["coordinates"] = [self.names[x] for x in self.eq.coordinates]
        data["parameters"] = self._named(Kind.PARAMETER)
        data["inputs"] = self._named(Kind.INPUT)
        data["multipliers"] = [self.names[x] for x in self.eq.lam]
        data["positive"] = [self.names[x] for x in self.claims.positive]
        data["state"] = {}
        for key, (program, put_back) in drafts.items():
            data[key] = _written(program, names, units, put_back)
        data["code"] = [self._coded(c, units) for c in self.code]
        claims = [*self.claims.names, *([CODE_CLAIM] if self.code else [])]
        parts = [data["description"], data["claimed"], *data["code"]]
        if data["positive"] or any(op in PARTIAL for p in parts for op, *_ in p["program"]):
            data["state"] = self.state
        return data | {"claims": sorted(claims, key=check.CLAIMS.index)}

    def _drawn(self) -> dict[str, str]:
        """Return a rational state: values of all symbols but accelerations."""
        names = [x for x in self.names.values() if not x.endswith(".ddot")]
        draw = self.draw.randint
        return {x: str(Fraction(draw(1, 30), draw(7, 19))) for x in names}

    def _coded(self, code: Code, units: Units) -> dict[str, Any]:
        n, m = len(self.eq.coordinates), len(self.eq.lam)

        def put_back(steps: list[int]) -> dict[str, Any]:
            outputs: dict[str, Any] = code.program.by_output(steps)
            if "M" in outputs:
                outputs["M"] = [outputs["M"][i * n : i * n + n] for i in range(n)]
            if code.function == "forward_dynamics" and not m:
                outputs["lam"] = []
            return {key: outputs[key] for key in check.CODE[code.function]}

        part = _written(code.program, self._inputs(code), units, put_back)
        return {"function": code.function, **part}

    def _inputs(self, code: Code) -> dict[tuple[int, int], str | None]:
        """Return the names of the inputs of code; a force that the equations lack is zero."""
        return {
            (port, place): self.names.get(x)
            for port, p in enumerate(code.program.inputs)
            for place, x in enumerate(code.inputs[p.name])
        }

    def _named(self, kind: Kind) -> list[str]:
        return [self.names[x] for x in self.symbols if is_kind(x, kind)]

    def give_way(self, refusal: check.Refused) -> None:
        """Drop what was refused, or raise."""
        claim = refusal.claim
        if claim == "state" and self.states < MAX_STATES:
            self.states += 1
            self.state = self._drawn()
        elif claim == "inverse_dynamics":
            # that of mechanisms counts dry friction with the inertia
            self.code = [
                c._replace(function=f"{claim}_with_friction") if c.function == claim else c
                for c in self.code
            ]
        elif claim in check.CODE:
            self.code = [c for c in self.code if c.function != claim]
            self.missing[claim] = str(refusal)
        elif claim in self.claims.names and claim not in REQUIRED:
            self.claims.drop(claim, REASONS.get(claim) or str(refusal))
        elif isinstance(refusal, check.Limit):
            raise TooLarge(
                f"expected equations that the checker can multiply out, got {refusal}: "
                "give numbers for some parameters, or rely on prove()"
            )
        else:
            raise InvalidSystem(
                f"expected equations that the checker accepts, got {claim or 'data'} refused: "
                f"{refusal}: rely on prove(), and report it unless it is a limit of certificates"
            )


REASONS = {
    "energy_balance": "T + V is not q̇ᵀ∂L/∂q̇ - L; jacobi_balance takes its place",
    "linear_in_parameters": "a parameter stands inside a function of the motion",
}
"""Why the checker refuses a claim, where there is one usual reason."""
REQUIRED = ("energies", "lagranges_equations", "constraints")


def _is_parameter(x: Expr) -> bool:
    return is_kind(x, Kind.PARAMETER)


def _leaves(nested: Nested) -> list[Expr]:
    if isinstance(nested, dict):
        return _leaves(list(nested.values()))
    if isinstance(nested, list):
        return [x for part in nested for x in _leaves(part)]
    return [as_expr(nested)]


def _names(symbols: Sequence[Expr]) -> dict[Expr, str]:
    """Return names that the checker takes: its own words, and names met before, get a _."""
    taken, base = set(check.RESERVED), {}
    names: dict[Expr, str] = {}
    for x in symbols:
        s = x.symbol
        assert s is not None
        if x is time:
            names[x] = "t"
            continue
        if (s.kind, s.name) not in base:
            name = s.name
            while name in taken:
                name += "_"
            taken.add(name)
            base[s.kind, s.name] = name
        names[x] = base[s.kind, s.name] + symbol_text(x)[len(s.name) :]
    return names


def _written(program: Program, names: Names, units: Units, put_back: Any) -> dict[str, Any]:
    """Return a program as steps with the parts that refer to them."""
    steps = Steps()
    results = Writer(steps, program, names, units).results()
    return {"program": steps.steps, **put_back(results)}
