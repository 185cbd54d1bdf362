"""What was described but not compiled says so, wherever a model was meant."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

import dalembert as da
from dalembert.errors import EvaluationError


def test_functions_that_take_a_model() -> None:
    for described in (da.textbook.robots.panda(), da.textbook.cart_pole(), "panda"):
        for call in (
            lambda x: da.simulate(x, [0.0] * 7, None, 1.0),
            lambda x: da.rollout(x, [0.0] * 7, None, 10),
            lambda x: da.solve_ik(x, np.eye(4), frame="flange"),
        ):
            with pytest.raises(EvaluationError, match="expected a model for da"):
                call(described)


def test_attributes_of_a_model() -> None:
    """The slip of the first day: mechanism.mass_matrix(q)."""
    arm, cart = da.textbook.robots.panda(), da.textbook.cart_pole()
    meant = r"got mass_matrix: did you mean a compiled model, da.compile\(mechanism\)\?"
    with pytest.raises(AttributeError, match=f"expected an attribute of a Mechanism, {meant}"):
        arm.mass_matrix([0.0] * 7)  # type: ignore[operator]
    with pytest.raises(AttributeError, match=r"a compiled model, da.compile\(system\)"):
        cart.forward_dynamics([0.0])  # type: ignore[operator]
    with pytest.raises(AttributeError, match="did you mean joints, or a compiled model"):
        _ = arm.jionts  # type: ignore[attr-defined]
    assert not hasattr(arm, "kernel")
    for x in (arm, cart):
        assert copy.deepcopy(x) == x
        assert pickle.loads(pickle.dumps(x)) == x
