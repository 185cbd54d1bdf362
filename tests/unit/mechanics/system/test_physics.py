"""Numbers that no body has, coordinates that nothing moves, and a parameter taken for time."""

from __future__ import annotations

import warnings

import pytest

import dalembert as da

x, y, r, th = da.coordinates("x y r th")
m, k, c, l = da.parameters("m k c l")
ORIGIN = (0, 0, 0)
TURN = da.rotation_z(th)


def solid(*moments: float, **options: bool) -> da.Body:
    return da.Body(1, ORIGIN, da.Matrix.diagonal(moments), TURN, **options)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (lambda: da.Body(-1, (x, y)), ["a mass", "got -1", "magnitude"]),
        (lambda: da.Body(1 - da.sqrt(2), (x, y)), ["a mass", "not negative"]),
        (lambda: da.System.from_particles([-2], [(x, y)], coordinates=[x, y]), ["got -2"]),
        (lambda: da.Body(1, (x, y), -0.5, th), ["a moment of inertia", "-1/2"]),
        (lambda: solid(1, 1, -1), ["a moment of inertia", "got -1"]),
        (lambda: solid(0, 0, -1), ["a moment of inertia", "got -1"]),
        (lambda: solid(1, 1, 3), ["above the sum", "1, 1, 3", "accept_nonphysical"]),
        # eigenvalues 1 ± 2: negative, although the diagonal is not
        (
            lambda: da.Body(1, ORIGIN, da.Matrix([[1, 2, 0], [2, 1, 0], [0, 0, 1]]), TURN),
            ["positive principal moments", "-1, 1, 3"],
        ),
    ],
)
def test_numbers_that_no_body_has_are_refused(body, words):
    with pytest.raises(da.InvalidSystem) as found:
        body()
    for word in words:
        assert word in str(found.value)


def test_bodies_that_may_exist_are_accepted():
    da.Body(0, (x, y))
    da.Body(-m, (x, y))  # m may be negative
    da.Body(1, (x, y), 0, th)
    # a flat body, exactly and with the six digits of a file
    solid(1, 1, 2)
    solid(0.333333, 0.333333, 0.666667)
    # one moment alone: a shaft that turns about one axis, as lecturers write it
    assert da.equal(solid(0, 0, 3).kinetic(), 3 * th.dot**2 / 2)
    shaft = da.Body(0, ORIGIN, da.Matrix.diagonal([0, 0, m]), TURN)
    assert shaft.bind({m: 3}).inertia == da.Matrix.diagonal([0, 0, 3])
    assert solid(1, 1, 3, accept_nonphysical=True).accept_nonphysical
    da.Body(1, ORIGIN, da.Matrix.diagonal([m, m, 5]), TURN)
    # a disk with a hole
    hole = da.Body(-1, (x, y), -0.5, th, accept_nonphysical=True)
    assert da.equal(hole.kinetic(), -(x.dot**2 + y.dot**2) / 2 - th.dot**2 / 4)


def test_values_are_checked_when_they_come():
    system = da.System.from_particles([m], [(x, y)], coordinates=[x, y])
    assert system.bind({m: 2}).bodies[0].mass == 2
    with pytest.raises(da.InvalidSystem, match="got -2"):
        system.bind({"m": -2})
    with pytest.raises(da.InvalidSystem, match="above the sum"):
        da.Body(1, ORIGIN, da.Matrix.diagonal([1, 1, m]), TURN).bind({m: 3})


def test_a_changed_body_stays_accepted():
    system = da.System.from_bodies([solid(1, 1, 3, accept_nonphysical=True)], coordinates=[th])
    changed = system.equations().change_coordinates({th: 2 * r})
    assert changed.system.bodies[0].accept_nonphysical
    assert changed.M[0, 0] == 3 * 2**2


def test_a_coordinate_without_any_equation_is_refused():
    system = da.System(coordinates=[x, y], kinetic=m * x.dot**2 / 2)
    with pytest.raises(da.InvalidSystem, match=r"got y, whose equation is 0 = 0.*coordinates="):
        system.equations()


@pytest.mark.parametrize(
    ("system", "name"),
    [
        # a forgotten .dot: -m x = 0
        (da.System(coordinates=[x], kinetic=m * x**2 / 2), "x"),
        # a forgotten r.dot²: -m r θ̇² = 0
        (da.System(coordinates=[r, th], kinetic=m * r**2 * th.dot**2 / 2), "r"),
        # a joint between two springs, and one between spring and damper
        (da.System(coordinates=[x], kinetic=0, potential=k * x**2 / 2), "x"),
        (da.System(coordinates=[x], kinetic=0, dissipation=c * x.dot**2 / 2), "x"),
        (da.System(coordinates=[x], lagrangian=k * x * da.sin(da.time)), "x"),
    ],
)
def test_a_coordinate_without_inertia_is_told(system, name):
    with pytest.warns(UserWarning, match=f"got none along {name}: {name}.dot does not occur"):
        system.equations()


def test_a_coordinate_without_inertia_that_a_constraint_holds_is_right():
    system = da.System(
        coordinates=[x, y], kinetic=m * x.dot**2 / 2, constraints=[x**2 + y**2 - l**2]
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        system.equations()


def test_a_parameter_called_t_is_not_time():
    (t,) = da.parameters("t")
    with pytest.raises(da.InvalidSystem, match=r"expected da\.time for time.*parameter called t"):
        da.System(coordinates=[x], kinetic=m * (x.dot + da.cos(3 * t)) ** 2 / 2)
    da.System(coordinates=[x], kinetic=m * (x.dot + da.cos(3 * da.time)) ** 2 / 2)
    # an input of this name is a torque
    da.System(coordinates=[x], kinetic=m * x.dot**2 / 2, forces=[*da.inputs("t")])
