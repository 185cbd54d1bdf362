"""Motion in time: constrained, without drift, with an account of its energy."""

from dalembert.simulation.constraints.constraints import Correction
from dalembert.simulation.constraints.stabilisation import Baumgarte, Projection, Unstabilised
from dalembert.simulation.events.base import Effect, Event, Found, Occurrence, Watcher
from dalembert.simulation.events.crossing import Crossing
from dalembert.simulation.geometry.ground import Ground
from dalembert.simulation.geometry.height_field import HeightField
from dalembert.simulation.geometry.pairs import SelfContact
from dalembert.simulation.geometry.rows import ContactPoint
from dalembert.simulation.laws.base import Row
from dalembert.simulation.laws.compliance import Compliance, HuntCrossley, KelvinVoigt
from dalembert.simulation.laws.contact import Contact, JointStops
from dalembert.simulation.laws.friction import DryFriction, JointFriction
from dalembert.simulation.methods.base import Flow, Integrator, Several, Step, Stepper
from dalembert.simulation.methods.dop853 import DOP853
from dalembert.simulation.methods.gauss_legendre import GaussLegendre
from dalembert.simulation.methods.radau import Radau
from dalembert.simulation.methods.runge_kutta import RK4, Heun, Midpoint
from dalembert.simulation.methods.semi_implicit_euler import SemiImplicitEuler
from dalembert.simulation.methods.taylor.heyoka import Heyoka
from dalembert.simulation.methods.taylor.taylor import Taylor
from dalembert.simulation.methods.variational.variational import Variational
from dalembert.simulation.problem.delayed import Delayed
from dalembert.simulation.problem.energy import Energy
from dalembert.simulation.problem.first_order import FirstOrder, dc_motors
from dalembert.simulation.problem.long_chain import LongChain
from dalembert.simulation.problem.problem import Problem
from dalembert.simulation.problem.sampled import Sampled
from dalembert.simulation.rollouts.result import Residuals, Rollouts
from dalembert.simulation.rollouts.rollout import rollout
from dalembert.simulation.sensors import IMU, Encoder, ForceSensor, Moments, Sensor
from dalembert.simulation.simulate import simulate
from dalembert.simulation.time_stepping.method import TimeStepping
from dalembert.simulation.trajectory.trajectory import Trajectory
from dalembert.simulation.variations.costs.cost_gradient import CostGradient, cost_gradient
from dalembert.simulation.variations.sensitivities import (
    EventSensitivity,
    Sensitivities,
    sensitivities,
)

__all__ = [
    "DOP853",
    "IMU",
    "RK4",
    "Baumgarte",
    "Compliance",
    "Contact",
    "ContactPoint",
    "Correction",
    "CostGradient",
    "Crossing",
    "Delayed",
    "DryFriction",
    "Effect",
    "Encoder",
    "Energy",
    "Event",
    "EventSensitivity",
    "FirstOrder",
    "Flow",
    "ForceSensor",
    "Found",
    "GaussLegendre",
    "Ground",
    "HeightField",
    "Heun",
    "Heyoka",
    "HuntCrossley",
    "Integrator",
    "JointFriction",
    "JointStops",
    "KelvinVoigt",
    "LongChain",
    "Midpoint",
    "Moments",
    "Occurrence",
    "Problem",
    "Projection",
    "Radau",
    "Residuals",
    "Rollouts",
    "Row",
    "Sampled",
    "SelfContact",
    "SemiImplicitEuler",
    "Sensitivities",
    "Sensor",
    "Several",
    "Step",
    "Stepper",
    "Taylor",
    "TimeStepping",
    "Trajectory",
    "Unstabilised",
    "Variational",
    "Watcher",
    "cost_gradient",
    "dc_motors",
    "rollout",
    "sensitivities",
    "simulate",
]
