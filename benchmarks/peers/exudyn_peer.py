"""Motions by EXUDYN: a chain of joints as its kinematic tree, a planar loop of its rigid bodies."""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from benchmarks.peers.base import Unavailable

GRAVITY = 9.81


class Swing(NamedTuple):
    """A link about the y axis: its mass (kg), the way from joint to joint and to the centre of mass
    along z (m), moments of inertia, stiffness (N m/rad) and damping (N m s/rad) of the joint.
    """

    mass: float
    offset: float
    centre: float
    inertia: tuple[float, float, float]
    stiffness: float = 0.0
    damping: float = 0.0


class Rod(NamedTuple):
    """A uniform rod in the plane: mass (kg), length (m), its first end (m), angle and rate."""

    mass: float
    length: float
    start: np.ndarray
    angle: float
    rate: float


def import_exudyn() -> Any:
    """Return the package.

    Raises:
        Unavailable: it is not installed.
    """
    try:
        return importlib.import_module("exudyn")
    except ImportError:
        raise Unavailable("EXUDYN: pip install exudyn") from None


def chain(
    swings: Sequence[Swing], q0: Sequence[float], end: float, solver: str
) -> Callable[[float], np.ndarray]:
    """Return the last configuration of a chain as a function of the step (s)."""
    exudyn = import_exudyn()
    robotics = importlib.import_module("exudyn.robotics")
    utilities = importlib.import_module("exudyn.utilities")
    system = exudyn.SystemContainer().AddSystem()
    robot = robotics.Robot(
        gravity=[0, 0, -GRAVITY],
        base=robotics.RobotBase(HT=utilities.HT0()),
        tool=robotics.RobotTool(HT=utilities.HT0()),
        referenceConfiguration=[],
    )
    for swing in swings:
        link = robotics.RobotLink(
            mass=swing.mass,
            COM=[0, 0, swing.centre],
            inertia=np.diag(swing.inertia),
            preHT=utilities.HTtranslate([0, 0, swing.offset]),
            jointType="Ry",
            PDcontrol=(swing.stiffness, swing.damping),
        )
        robot.AddLink(link)
    robot.referenceConfiguration = [0.0] * len(swings)
    node = robot.CreateKinematicTree(system)["nodeGeneric"]
    system.SetNodeParameter(node, "initialCoordinates", list(q0))
    system.Assemble()
    coordinates = exudyn.OutputVariableType.Coordinates

    def run(step: float) -> np.ndarray:
        _solve(exudyn, system, end, step, solver)
        return np.array(system.GetNodeOutput(node, coordinates))

    return run


def planar_loop(rods: Sequence[Rod], width: float, end: float) -> Callable[[float], np.ndarray]:
    """Return the last angles of three rods, pinned to each other and at (0, 0) and (width, 0)."""
    exudyn = import_exudyn()
    items = importlib.import_module("exudyn.itemInterface")
    system = exudyn.SystemContainer().AddSystem()
    ground = system.AddObject(items.ObjectGround())
    nodes, ends = [], []
    for mass, length, start, angle, rate in rods:
        way = np.array([np.cos(angle), np.sin(angle)]) * length / 2
        speed = rate * np.array([-way[1], way[0]])
        # the velocity of the first end: that of the coupler is the last end of the crank
        speed += _speed_of_start(rods, start)
        node = system.AddNode(
            items.NodeRigidBody2D(
                referenceCoordinates=[*(start + way), angle],
                initialVelocities=[*speed, rate],
            )
        )
        body = system.AddObject(
            items.ObjectRigidBody2D(
                nodeNumber=node, physicsMass=mass, physicsInertia=mass * length**2 / 12
            )
        )
        force = system.AddMarker(items.MarkerBodyMass(bodyNumber=body))
        system.AddLoad(items.LoadMassProportional(markerNumber=force, loadVector=[0, -GRAVITY, 0]))
        nodes.append(node)
        ends.append(
            [
                system.AddMarker(items.MarkerBodyPosition(bodyNumber=body, localPosition=[x, 0, 0]))
                for x in (-length / 2, length / 2)
            ]
        )
    pivots = [
        system.AddMarker(items.MarkerBodyPosition(bodyNumber=ground, localPosition=[x, 0, 0]))
        for x in (0.0, width)
    ]
    crank, coupler, rocker = ends
    for pair in (
        [pivots[0], crank[0]],
        [crank[1], coupler[0]],
        [coupler[1], rocker[1]],
        [pivots[1], rocker[0]],
    ):
        system.AddObject(items.ObjectJointRevolute2D(markerNumbers=pair))
    system.Assemble()
    rotation = exudyn.OutputVariableType.Coordinates

    def run(step: float) -> np.ndarray:
        _solve(exudyn, system, end, step, "GeneralizedAlpha")
        turned = [system.GetNodeOutput(node, rotation)[2] for node in nodes]
        crank, coupler, rocker = (rod.angle + x for rod, x in zip(rods, turned, strict=True))
        return np.array([crank, coupler - crank, rocker])

    return run


def _speed_of_start(rods: Sequence[Rod], start: np.ndarray) -> np.ndarray:
    """Return the velocity of the first end of a rod: zero at the ground, else that of the crank."""
    crank = rods[0]
    tip = crank.start + crank.length * np.array([np.cos(crank.angle), np.sin(crank.angle)])
    if np.abs(tip - start).max() > 1e-9:
        return np.zeros(2)
    way = tip - crank.start
    return crank.rate * np.array([-way[1], way[0]])


def _solve(exudyn: Any, system: Any, end: float, step: float, solver: str) -> None:
    """Integrate from the start."""
    settings = exudyn.SimulationSettings()
    with warnings.catch_warnings():
        # some names changed between versions
        warnings.simplefilter("ignore")
        settings.timeIntegration.endTime = end
        settings.timeIntegration.numberOfSteps = round(end / step)
        settings.timeIntegration.verboseMode = 0
        settings.timeIntegration.newton.relativeTolerance = 1e-10
        settings.timeIntegration.newton.absoluteTolerance = 1e-12
        settings.timeIntegration.generalizedAlpha.spectralRadius = 0.9
        settings.solutionSettings.writeSolutionToFile = False
        settings.displayStatistics = False
        kind = getattr(exudyn.DynamicSolverType, solver)
        if not system.SolveDynamic(settings, solverType=kind):
            raise Unavailable("EXUDYN: the motion failed")
