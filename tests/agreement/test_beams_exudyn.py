"""A pendulum that bends, against EXUDYN's finite elements of large deflection."""

import numpy as np
import pytest

import dalembert as da
from dalembert.simulation import DOP853

exudyn = pytest.importorskip("exudyn", reason="pip install exudyn")
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")

STIFFNESS, END = 2.0, 0.3


def exudyn_tip():
    """Return where the tip of a cable of 8 elements is, which falls from rest on a hinge."""
    from exudyn.beams import GenerateStraightLineANCFCable2D  # pyright: ignore[reportMissingImports]
    from exudyn.utilities import Cable2D  # pyright: ignore[reportMissingImports]

    container = exudyn.SystemContainer()
    system = container.AddSystem()
    cable = Cable2D(
        physicsMassPerLength=1.0,
        physicsBendingStiffness=STIFFNESS,
        physicsAxialStiffness=1e5 * STIFFNESS,
    )
    nodes = GenerateStraightLineANCFCable2D(
        system,
        positionOfNode0=[0, 0, 0],
        positionOfNode1=[1, 0, 0],
        numberOfElements=8,
        cableTemplate=cable,
        massProportionalLoad=[0, -9.81, 0],
        fixedConstraintsNode0=[1, 1, 0, 0],
    )[0]
    system.Assemble()
    settings = exudyn.SimulationSettings()
    settings.timeIntegration.endTime = END
    settings.timeIntegration.numberOfSteps = 1500
    settings.timeIntegration.verboseMode = 0
    settings.solutionSettings.writeSolutionToFile = False
    system.SolveDynamic(settings)
    return system.GetNodeOutput(nodes[-1], exudyn.OutputVariableType.Position)[:2]


def test_a_pendulum_that_bends_falls_alike():
    """It turns by 37°; the tips agree to 2e-4 of the length, where a rigid rod is 4e-3 away."""
    pendulum = da.Builder("pendulum", gravity=(0, -9.81, 0))
    pendulum.beam("rod", mass=1, length=1, stiffness=STIFFNESS, modes=3).revolute("hinge", "rod")
    model = da.compile(pendulum.build())
    motion = da.simulate(model, model.neutral, None, [0, END], method=DOP853())
    tip = model.forward_kinematics(motion.q[-1], "rod_tip")[:2, 3]
    expected = exudyn_tip()
    np.testing.assert_allclose(tip, expected, atol=2e-4)
    rigid = da.simulate(da.compile(_rod()), [0.0], None, [0, END]).q[-1, 0]
    assert np.hypot(*(np.array([np.cos(rigid), np.sin(rigid)]) - expected)) > 3e-3


def _rod():
    rod = {"mass": 1, "com": (0.5, 0, 0), "inertia": (0, 1 / 12, 1 / 12)}
    return da.Builder("rod", gravity=(0, -9.81, 0)).link("rod", **rod).revolute("j", "rod").build()
