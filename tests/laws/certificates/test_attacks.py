"""No corrupted certificate is accepted unless what it says is true; each kind of attack by itself.

`python -m tools.certificates attack` runs thousands.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from dalembert.certificates import check
from tests.cases import num_cases
from tests.figures import Figures
from tools.certificates.attack import FALSE, REFUSED, attack, verdict
from tools.certificates.cases import textbook
from tools.certificates.corruptions import KINDS

TARGETS = ("rp_arm", "rp_arm_maximal", "rolling_disc", "planar_3r", "furuta_pendulum")
# kinds that rarely change what is said
MILD = {"state", "claims", "names", "positive"}
EACH = 4


def data_of(name: str) -> dict[str, Any]:
    return json.loads(textbook()[name]().text)


@pytest.mark.parametrize("kind", KINDS)
def test_random_corruptions(
    kind: str, rng: np.random.Generator, scale: float, figures: Figures
) -> None:
    refused = done = 0
    for name in TARGETS:
        seed = int(rng.integers(2**31))
        tally = attack(data_of(name), num_cases(EACH, scale), seed, (kind,))
        assert not tally.false, (kind, name, seed)
        refused += tally.total[REFUSED]
        done += tally.total.total()
    assert done
    if kind not in MILD:
        assert refused > done / 4
    figures.count("corruptions", done)
    figures.count("refused", refused)


def test_a_false_claim_that_passes_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The attack can fail: of a checker that accepts all, false ones are found."""
    monkeypatch.setattr(check.Ring, "is_zero", lambda *_: True)
    data = data_of("rp_arm_maximal")
    tally = attack(data, 30, 1, ("coefficient", "sign", "dropped term"))
    assert tally.total[FALSE] > 15


# ---- attacks by hand, on a mass that falls: m ÿ + m g = f


def refused(data: dict[str, Any]) -> str:
    with pytest.raises(check.Refused) as found:
        check.check(check.read(json.dumps(data).encode()))
    return str(found.value)


class Program:
    """A program of a certificate, to which an attack appends steps."""

    def __init__(self, part: dict[str, Any]) -> None:
        self.part, self.steps = part, part["program"]

    def step(self, *step: Any) -> int:
        self.steps.append(list(step))
        return len(self.steps) - 1


def particle() -> tuple[dict[str, Any], Program, Program]:
    data = data_of("particle")
    return data, Program(data["description"]), Program(data["claimed"])


def without(data: dict[str, Any], *claims: str) -> None:
    """Leave out claims and what belongs to them."""
    data["claims"] = [x for x in data["claims"] if x not in claims]
    needed = {part for x in data["claims"] for part in check.WITNESSES.get(x, ())}
    for parts in check.WITNESSES.values():
        for part in parts:
            if part not in needed:
                data["claimed"].pop(part, None)
    if "code_computes_the_equations" in claims:
        data["code"] = []


PROPERTIES = [x for x in check.CLAIMS if x not in ("energies", "lagranges_equations")]


def test_no_mass_and_everything_in_N() -> None:
    data, _, claimed = particle()
    m, a = claimed.step("sym", "m"), claimed.step("sym", "y.ddot")
    claimed.part["N"] = [claimed.step("sum", claimed.part["N"][0], claimed.step("mul", m, a))]
    claimed.part["M"] = [[claimed.step("num", "0")]]
    without(data, *PROPERTIES)
    assert "acceleration" in refused(data)


def test_an_acceleration_inside_T() -> None:
    data, given, claimed = particle()
    for program, part in ((given, "kinetic"), (claimed, "T")):
        a = program.step("sym", "y.ddot")
        program.part[part] = program.step("sum", program.part[part], program.step("mul", a, a))
    without(data, *PROPERTIES)
    assert "acceleration" in refused(data)


def test_an_acceleration_inside_the_force() -> None:
    data, given, claimed = particle()
    for program in (given, claimed):
        a = program.step("sym", "y.ddot")
        program.part["forces"] = [program.step("sum", program.part["forces"][0], a)]
    without(data, *PROPERTIES)
    assert "acceleration" in refused(data)


def test_a_mass_that_may_be_negative() -> None:
    data, *_ = particle()
    data["positive"] = []
    assert "sign" in refused(data)


def test_a_coordinate_that_is_positive() -> None:
    data, *_ = particle()
    data["positive"].append("y")
    assert "positive" in refused(data)


def test_a_rate_that_is_no_velocity() -> None:
    data, *_ = particle()
    data["claimed"]["standing"] = []
    assert "vanish" in refused(data)
    data, *_ = particle()
    data["claimed"]["standing"] *= 2
    assert "vanish" in refused(data)


NOWHERE: dict[str, Callable[[Program], int]] = {
    # 1/(√y² - |y|) is zero times anything: nobody sees that it is nowhere defined, but the state
    "a hidden zero": lambda p: p.step(
        "inv",
        p.step(
            "sub",
            p.step("sqrt", p.step("pow", p.step("sym", "y"), 2)),
            p.step("abs", p.step("sym", "y")),
        ),
    ),
    "a root of something negative": lambda p: p.step(
        "sqrt",
        p.step(
            "sub",
            p.step("neg", p.step("pow", p.step("sym", "y"), 2)),
            p.step("num", "1"),
        ),
    ),
    "one over zero": lambda p: p.step("inv", p.step("sub", p.step("sym", "y"), p.step("sym", "y"))),
    "a quotient without an angle": lambda p: p.step(
        "inv",
        p.step(
            "sub",
            p.step("num", "1"),
            p.step(
                "sum",
                p.step("pow", p.step("cos", 0, [[0, 1]]), 2),
                p.step("pow", p.step("sin", 0, [[0, 1]]), 2),
            ),
        ),
    ),
}


@pytest.mark.parametrize("which", ["description", "claimed"])
@pytest.mark.parametrize("kind", NOWHERE)
def test_nothing_is_claimed_about_no_state(kind: str, which: str) -> None:
    data, given, claimed = particle()
    program, part = (given, "kinetic") if which == "description" else (claimed, "T")
    bad = NOWHERE[kind](program)
    nothing = program.step("mul", program.step("num", "0"), bad)
    program.part[part] = program.step("sum", program.part[part], nothing)
    refused(data)


def test_conditions_that_hold_one_by_one_but_not_together() -> None:
    # √(y - 1) and √(-1 - y)
    data, given, _ = particle()
    y, one = given.step("sym", "y"), given.step("num", "1")
    roots = [
        given.step("sqrt", given.step("sub", y, one)),
        given.step("sqrt", given.step("sub", given.step("neg", one), y)),
    ]
    zero = given.step("num", "0")
    given.part["kinetic"] = given.step(
        "sum", given.part["kinetic"], *(given.step("mul", zero, r) for r in roots)
    )
    for y_at in ("2", "-2", "0"):
        data["state"] = dict.fromkeys(("m", "g", "y.dot"), "1") | {"y": y_at}
        assert "state" in refused(data)


def test_a_condition_is_a_part_of_what_is_said() -> None:
    # T + 0 √y is another statement: it is printed that y > 0
    data, given, _ = particle()
    root = given.step("sqrt", given.step("sym", "y"))
    nothing = given.step("mul", given.step("num", "0"), root)
    before, _ = check.check(data_of("particle"))
    given.part["kinetic"] = given.step("sum", given.part["kinetic"], nothing)
    after, _ = check.check(data)
    assert "defined everywhere" in check.described(before)
    assert "defined where y ≠ 0, y > 0" in check.described(after)
    assert check.fingerprint(before) != check.fingerprint(after)


def test_a_claim_about_fewer_states_is_told() -> None:
    data, _, claimed = particle()
    # code that divides by m has a condition of its own
    without(data, "code_computes_the_equations")
    root = claimed.step("sqrt", claimed.step("sym", "y"))
    nothing = claimed.step("mul", claimed.step("num", "0"), root)
    claimed.part["V"] = claimed.step("sum", claimed.part["V"], nothing)
    certificate, _ = check.check(data)
    assert "defined everywhere" in check.described(certificate)
    first, last = certificate.num_described, certificate.num_claimed
    assert check.conditions(certificate.ring, first, last) == "y ≠ 0, y > 0"


def test_a_mirror_is_no_rotation() -> None:
    data = data_of("planar_3r")
    body = data["description"]["bodies"][0]
    program = Program(data["description"])
    minus = program.step("num", "-1")
    for row in body["rotation"]:
        row[2] = program.step("mul", minus, row[2])
    assert "energies" in refused(data)


def test_a_tiny_error() -> None:
    data = data_of("ur5e")
    for step in data["claimed"]["program"]:
        if step[0] == "num" and step[1] not in ("0", "1", "2", "-1", "1/2"):
            step[1] = str(Fraction(step[1]) + Fraction(1, 10**60))
            break
    refused(data)


def test_the_whole_statement_is_compared() -> None:
    """What the judge calls the same has the same functions, names and claims."""
    data = data_of("rp_arm")
    renamed = copy.deepcopy(data)
    renamed["parameters"].reverse()
    assert verdict(data, renamed) == "same meaning"
    fewer = copy.deepcopy(data)
    fewer["claims"].remove("energy_balance")
    assert verdict(data, fewer) == "other and true"
