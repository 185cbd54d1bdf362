"""Frames of the benchmark: the peer has them where dalembert has them."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from benchmarks.bodies import link_places
from benchmarks.frames import Case, Ours
from benchmarks.peers.pinocchio_python import Layout, pinocchio_model


def test_links_are_where_pinocchio_has_them() -> None:
    pin = pytest.importorskip("pinocchio", reason='needs Pinocchio: pip install "pin==4.1.*"')
    case = Case("dual-arm")
    model = pinocchio_model(case.mechanism)
    data = model.createData()
    states = Layout(case.mechanism, model).states(case.states)
    pin.forwardKinematics(model, data, states.q[0])
    expected = da.compile(case.mechanism).forward_kinematics(case.states.q[0], case.links)
    places = link_places(case.mechanism)
    for link, X in zip(case.links, expected, strict=True):
        number, (R, p) = places[link]
        found = data.oMi[number] * pin.SE3(np.array(R, dtype=float), np.array(p, dtype=float))
        np.testing.assert_allclose(found.homogeneous, X, rtol=0, atol=1e-14)


def test_ways_agree() -> None:
    case = Case("2r")
    together, floats, apart = (
        Ours(case, "float64", [case.names]),
        Ours(case, "float32", [case.names]),
        Ours(case, "float64", case.names),
    )
    assert [x.run(1) for x in (together, floats, apart)] == [len(case.states.q)] * 3
    X = together.result(7)
    assert X.shape == (len(case.names), 4, 4)
    np.testing.assert_allclose(apart.result(7), X, rtol=0, atol=1e-15)
    np.testing.assert_allclose(floats.result(7), X, rtol=0, atol=1e-6)
