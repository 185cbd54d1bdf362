"""Ball and free joints as Euler angles: the same body, other coordinates."""

from __future__ import annotations

import pytest

import dalembert as da

I1, I2, I3, m, g = da.parameters("I1 I2 I3 m g")


def test_top_in_euler_angles_equals_the_textbook_body() -> None:
    """A free body in z-x-z angles, by recursion and by System.from_bodies."""
    builder = da.Builder("top", gravity=(0, 0, 0)).link("body", mass=1, inertia=(I1, I2, I3))
    eq = builder.spherical("ball", "body").build().with_euler_angles("zxz").equations()
    book = da.textbook.free_rigid_body().equations()
    names = dict(zip(book.coordinates, eq.coordinates, strict=True))
    assert da.equal(book.M.subs(names), eq.M)
    torque = {x: 0 for f in eq.forces for x in f.symbols}
    assert da.equal(book.residual.subs(names), eq.residual.subs(torque))


def test_floating_body_has_six_coordinates() -> None:
    builder = da.Builder("drone", gravity=(0, 0, -g)).link("body", mass=m, inertia=(I1, I2, I3))
    drone = builder.floating("base", "body").build().with_euler_angles()
    assert drone.nv == 6
    eq = drone.equations()
    # the centre of mass falls freely, whatever the attitude
    assert da.equal([eq.M[i, j] for i in range(3) for j in range(3)], [m, 0, 0, 0, m, 0, 0, 0, m])
    assert da.equal(eq.N, [0, 0, m * g, 0, 0, 0])
    assert all(p.is_proved for p in drone.prove())


@pytest.mark.parametrize("sequence", ["zz", "zzx", "abc", "xyy"])
def test_sequences_that_reach_no_attitude_are_refused(sequence: str) -> None:
    builder = da.Builder("top").link("body", mass=1, inertia=(1, 1, 1))
    with pytest.raises(da.InvalidMechanism, match="three axes"):
        builder.spherical("ball", "body").build().with_euler_angles(sequence)


def test_equations_name_the_way_out() -> None:
    builder = da.Builder("top").link("body", mass=1, inertia=(1, 1, 1))
    with pytest.raises(da.InvalidMechanism, match="with_euler_angles"):
        builder.spherical("ball", "body").build().equations()
