"""Where a description is defined and smooth is a hypothesis; velocities stay outside functions."""

from __future__ import annotations

import itertools
import warnings

import pytest

import dalembert as da
from dalembert.mechanics.proofs.domain import conditions, smooth_where
from dalembert.mechanics.proofs.hypotheses import are_known_to_meet

x, y = da.coordinates("x y")
m, k = da.parameters("m k")


def under(potential: da.Expr) -> da.Equations:
    return da.System(
        kinetic=m * (x.dot**2 + y.dot**2) / 2, potential=potential, coordinates=[x, y]
    ).equations()


WHERE = {
    "jump": (da.sign(x), "x ≠ 0"),
    "kink": (k * abs(x - 1), "x - 1 ≠ 0"),
    "root": (da.sqrt(x**2 + y**2), "x² + y² ≠ 0"),
    "half": (da.sqrt(x), "x > 0"),
    "logarithm": (k * da.log(x - y), "x - y > 0"),
    "disguised": (k * da.exp(da.log(x)), "x > 0"),
    "quotient": (k / (x * (1 + y**2)), "x ≠ 0"),
    "tangent": (da.tan(x), "cos(x) ≠ 0"),
    "cut": (da.atan2(y, x), "not both y = 0 and x ≤ 0"),
    "end": (da.asin(x / 5), "|x/5| < 1"),
}


@pytest.mark.parametrize("case", WHERE)
def test_energy_is_conserved_only_away_from_jumps_and_kinks(case) -> None:
    potential, condition = WHERE[case]
    eq = under(potential)
    energy = eq.conserved()[-1]
    assert energy.name == "energy"
    assert energy.hypotheses == (condition,)
    for proof in eq.prove():
        assert condition in proof.hypotheses


@pytest.mark.parametrize(
    "potential",
    [k * x**2, da.sqrt(1 + x**2), da.sqrt(m) * x, abs(k) * x, da.sqrt(m**2 + k) * x, da.exp(x)],
)
def test_smooth_potentials_need_no_condition(potential) -> None:
    assert under(potential).conserved()[-1].hypotheses == ()


OF_PARAMETERS = {
    "logarithm": (k * da.log(k - m) * x**2, "k - m > 0"),
    "root": (da.sqrt(k - m) * x**2, "k - m ≥ 0"),
    "quotient": (x**2 / (k - m), "k - m ≠ 0"),
    "arc": (da.asin(k / m) * x**2, "|k/m| ≤ 1"),
}


@pytest.mark.parametrize("case", OF_PARAMETERS)
def test_values_for_which_a_description_is_defined_are_named(case) -> None:
    potential, condition = OF_PARAMETERS[case]
    eq = under(potential)
    assert eq.conserved()[-1].hypotheses == (condition,)
    proofs = eq.prove()
    assert all(condition in proof.hypotheses for proof in proofs)
    # of all states
    assert "M ≻ 0 everywhere" in [proof.statement for proof in proofs]


def test_functions_of_parameters_have_no_kink_along_a_motion() -> None:
    assert under((abs(k - m) + da.sign(k - m)) * x**2).conserved()[-1].hypotheses == ()


def test_an_angle_off_the_axis_has_no_cut() -> None:
    assert smooth_where([da.atan2(1, x) + da.atan2(-m, y)]) == ()


EMPTY = {
    "logarithm": k * da.log(-1 - x**2),
    "parameters": k * x / da.sqrt(-k - m),
}


@pytest.mark.parametrize("case", EMPTY)
def test_nothing_is_proved_of_what_is_defined_nowhere(case) -> None:
    proofs = under(EMPTY[case]).prove()
    assert {proof.verdict for proof in proofs} == {"undecided"}
    assert "defined at no state" in str(proofs[0])


def test_a_state_is_found_where_many_conditions_hold() -> None:
    """By chance alone, one of a million points would do."""
    q = da.coordinates(" ".join(f"q{i}" for i in range(20)))
    far = [da.log(a / m - 1) for a in q]
    ordered = [da.log(a - b) for a, b in itertools.pairwise(q[:5])]
    assert are_known_to_meet(conditions([*far, *ordered, da.asin(q[4] / 9)]))
    assert not are_known_to_meet(conditions([*ordered, da.log(q[4] - q[0])]))


def test_dry_friction_is_a_force_and_not_differentiated() -> None:
    eq = da.System(
        kinetic=m * x.dot**2 / 2, coordinates=[x], forces=[-k * da.sign(x.dot)]
    ).equations()
    assert all(proof.hypotheses in ((), ("m ≥ 0",), ("m ≥ 0", "parameters > 0"))
               for proof in eq.prove())  # fmt: skip


def test_nothing_is_smooth_everywhere() -> None:
    assert smooth_where([]) == ()


def test_one_condition_of_several_that_say_the_same_is_named() -> None:
    e = da.log(x) + da.log(2 * x) + 1 / (-3 * x) + da.sqrt(x) + 1 / da.exp(x) + da.atan2(y, 1 + m)
    assert smooth_where([e]) == ("x > 0",)
    assert list(map(str, conditions([da.sqrt(x) / (2 + da.sqrt((x - y) ** 2 + m))]))) == ["x ≥ 0"]


def test_a_mass_matrix_on_half_a_line_is_not_definite_everywhere() -> None:
    eq = da.System(kinetic=m * (1 + da.sqrt(x)) * x.dot**2 / 2, coordinates=[x]).equations()
    (definite,) = [proof for proof in eq.prove() if proof.statement.startswith("M ≻ 0")]
    assert definite.statement == "M ≻ 0"
    assert "x > 0" in definite.hypotheses


@pytest.mark.parametrize(
    "hidden",
    [da.sqrt((x + y) ** 2 - x**2 - 2 * x * y - y**2), da.sqrt(da.sin(x) ** 2 + da.cos(x) ** 2 - 1)],
    ids=["square", "sine"],
)
def test_a_hidden_root_of_zero_leaves_claims_undecided(hidden: da.Expr) -> None:
    """The graph of its derivative divides by zero: nothing is raised, nothing refuted."""
    for T, V in ((1 + hidden, k * x), (1, k * x / (1 + hidden))):
        eq = da.System(
            kinetic=m * (T * x.dot**2 + y.dot**2) / 2, potential=V, coordinates=[x, y]
        ).equations()
        verdicts = [proof.verdict for proof in eq.prove()]
        assert "refuted" not in verdicts
        assert verdicts.count("proved") >= 8


BENT = {
    "modulus": x.dot * abs(x.dot),
    "sign": m * x.dot**2 / 2 + da.sign(x.dot),
    "root": da.sqrt(1 + x.dot**2),
    "cube": x.dot**3,
    "sine": da.sin(x.dot) + x.dot**2,
    "denominator": x.dot**2 / (1 + x.dot**2),
    "mixed": x.dot**2 + y.dot * x.dot * y.dot,
}


@pytest.mark.parametrize("case", BENT)
def test_only_quadratic_energies_are_kinetic(case) -> None:
    with pytest.raises(da.InvalidSystem, match="quadratic in the velocities"):
        da.System(coordinates=[x, y], kinetic=BENT[case]).equations()
    with warnings.catch_warnings():
        # some say nothing about the acceleration of y
        warnings.simplefilter("ignore")
        eq = da.System(coordinates=[x, y], lagrangian=BENT[case] + x * y.dot).equations()
    assert not eq.is_quadratic


def test_what_is_quadratic_in_disguise_is_accepted() -> None:
    eq = da.System(kinetic=abs(x.dot) ** 2 + (x.dot**3 + y.dot**2 * x.dot) / x.dot,
                   coordinates=[x, y]).equations()  # fmt: skip
    assert da.equal(eq.M, [[4, 0], [0, 2]])


@pytest.mark.parametrize("phi", [x.dot * abs(x.dot), y.dot + da.sign(x.dot), x.dot + da.sin(y.dot)])
def test_only_linear_velocity_constraints_have_a_jacobian(phi) -> None:
    with pytest.raises(da.InvalidSystem, match="linear in the velocities"):
        da.System(
            kinetic=x.dot**2 + y.dot**2, velocity_constraints=[phi], coordinates=[x, y]
        ).equations()


@pytest.mark.parametrize("hidden", [x, x**3], ids=str)
def test_nothing_is_refuted_at_a_point_where_the_description_has_no_value(hidden) -> None:
    """The inertia exp(log x) is x in the ring, negative where the logarithm has no value."""
    eq = da.System(kinetic=m * da.exp(da.log(hidden)) * x.dot**2 / 2, coordinates=[x]).equations()
    for proof in eq.prove():
        assert proof.verdict != "refuted", proof
    # of a wrong claim the point lies inside
    wrong = eq.replaced(N=eq.N + da.Matrix([[k * x]])).prove()[0]
    assert wrong.verdict == "refuted"
    assert wrong.counterexample is not None
    assert wrong.counterexample[x] > 0


def test_conditions_look_inside_of_moduli_roots_and_products() -> None:
    e = da.log(abs(x)) + 1 / (k * abs(y)) + da.log(2 * k * da.sqrt(x - y))
    assert list(map(str, conditions([e]))) == ["x ≠ 0", "y ≠ 0", "x - y > 0"]
