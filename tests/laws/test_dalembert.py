"""D'Alembert's principle on random mechanisms: body by body, the equations are Lagrange's."""

from __future__ import annotations

import numpy as np

from dalembert.mechanics.equations.routes.bodies import Bodies
from dalembert.mechanics.equations.routes.dalembert import same_as_lagrange
from tests.cases import num_cases
from tests.random_mechanisms import SCALAR_KINDS, random_mechanism


def test_both_routes_reach_the_same_equations(rng: np.random.Generator, scale: float) -> None:
    compared = 0
    for _ in range(num_cases(6, scale)):
        # skew axes, branches, joints that follow others, rotors and dampers
        mechanism = random_mechanism(rng, 3, kinds=SCALAR_KINDS, mimic=0.3)
        if not mechanism.nv:
            continue
        eq = mechanism.equations()
        proof = same_as_lagrange(Bodies(eq))
        assert proof.is_proved, f"{mechanism}\n{proof}"
        compared += 1
    assert compared
