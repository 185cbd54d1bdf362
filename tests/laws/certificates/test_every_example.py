"""Every worked example and every system of the gallery has a certificate that the checker accepts.

What it claims holds in floats too, by formulas that share nothing with the checker.
"""

from __future__ import annotations

import json

import pytest

from dalembert.certificates import Certificate
from dalembert.certificates.check import CLAIMS, CODE
from tests.figures import Figures
from tools.certificates.cases import LARGE, SOURCES, gallery, textbook
from tools.certificates.in_floats import ROUNDING, errors

TEXTBOOK = {name: make for name, make in textbook().items() if name not in LARGE}
ALWAYS = {
    *("energies", "lagranges_equations", "mass_matrix_is_symmetric", "mass_matrix_is_hessian"),
    *("mass_matrix_is_nonnegative", "rate_minus_twice_coriolis_is_skew", "coriolis_in_three_forms"),
    "code_computes_the_equations",
}
BALANCES = {"energy_balance", "jacobi_balance"}


def judged(certificate: Certificate, figures: Figures) -> None:
    """Check a certificate twice, by the checker and in floats."""
    counts = certificate.check()
    worst = errors(certificate.data)
    assert set(counts) == set(worst) == set(certificate.claims)
    assert all(counts.values()) or counts["mass_matrix_is_symmetric"] == 0
    assert max(worst.values()) < ROUNDING, worst
    assert ALWAYS - set(certificate.claims) == set(), certificate.missing
    assert len(BALANCES & set(certificate.claims)) == 1
    if certificate.data["multipliers"]:
        assert "constraints" in certificate.claims
    # each claim is made, or its absence has a reason
    silent = set(CLAIMS) - set(certificate.claims) - set(certificate.missing)
    assert silent <= {"constraints", *BALANCES}
    figures.count("certificates", 1)
    figures.count("identities", sum(counts.values()))


@pytest.mark.parametrize("name", TEXTBOOK)
def test_worked_examples(name: str, figures: Figures) -> None:
    judged(TEXTBOOK[name](), figures)


@pytest.mark.parametrize("name", SOURCES)
def test_the_sources_have_every_claim(name: str) -> None:
    certificate = TEXTBOOK[name]()
    # energies alone, without bodies
    given_by_energies = {"particle", "geared_link", "elastic_joint"}
    missing = {"newton_euler"} if name in given_by_energies else set()
    assert set(certificate.missing) == missing
    functions = {code["function"] for code in certificate.data["code"]}
    solved = set() if certificate.data["multipliers"] else {"forward_dynamics"}
    assert functions == {"mass_matrix", "inverse_dynamics"} | solved
    assert functions <= set(CODE)


def test_the_gallery(figures: Figures) -> None:
    for title, make in gallery().items():
        if title not in LARGE:
            judged(make(), figures)


def test_six_joints_with_numbers_fit_in_a_tenth_of_a_megabyte() -> None:
    assert len(TEXTBOOK["ur5e"]().text) < 100_000


def test_floats_see_what_is_wrong() -> None:
    """The judge can say no: a claim that does not hold has a large error."""
    data = json.loads(TEXTBOOK["double_pendulum"]().text)
    M = data["claimed"]["M"]
    M[0][0], M[1][1] = M[1][1], M[0][0]
    worst = errors(data)
    wrong = {claim for claim, error in worst.items() if error > ROUNDING}
    assert wrong >= {"lagranges_equations", "newton_euler", "mass_matrix_is_hessian"}
    assert "mass_matrix_is_symmetric" not in wrong
