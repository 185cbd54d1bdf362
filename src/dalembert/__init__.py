"""Exact, readable, proved equations of motion for robots and other mechanisms."""

from typing import TYPE_CHECKING

from dalembert.errors import (
    DalembertError,
    DivisionByZero,
    EvaluationError,
    FileError,
    InvalidExpression,
    InvalidMechanism,
    InvalidSystem,
    MissingDependency,
    MissingInertia,
    ParseError,
    SingularSystem,
    TooLarge,
    Undecided,
    UnknownName,
    WrongMachineCode,
)
from dalembert.expr import (
    PI as pi,
)
from dalembert.expr import (
    Expr,
    Matrix,
    acos,
    asin,
    atan,
    atan2,
    coordinates,
    cos,
    cosh,
    ddt,
    exp,
    function,
    hessian,
    inputs,
    jacobian,
    log,
    multipliers,
    parameters,
    sign,
    sin,
    sinh,
    sqrt,
    tan,
    tanh,
    time,
)
from dalembert.expr import (
    abs_ as abs,
)
from dalembert.lazy import load as __getattr__  # noqa: F401
from dalembert.lazy import names as __dir__  # noqa: F401
from dalembert.version import VERSION as __version__

if TYPE_CHECKING:
    from dalembert import (
        analysis,
        control,
        identification,
        ik,
        mechanism,
        picture,
        report,
        simulation,
        textbook,
    )
    from dalembert.analysis import animate, ellipsoid, manipulability
    from dalembert.expr.mixing.from_sympy import from_sympy
    from dalembert.expr.mixing.to_sympy import to_sympy
    from dalembert.identification import identify
    from dalembert.ik import Solution, solve_ik
    from dalembert.kernel import compile_function
    from dalembert.kernel.backends.jax import export_jax, import_jax
    from dalembert.mechanics import Beam, Body, Equations, Load, Proof, Rolling, System
    from dalembert.mechanics.answers import check_answer, check_derivation
    from dalembert.mechanism import Builder, Link, Mechanism
    from dalembert.mechanism.io import load, load_srdf, save
    from dalembert.model import Model, compile
    from dalembert.model.configuration import Configuration
    from dalembert.reader.parse import parse
    from dalembert.ring import counterexample, equal
    from dalembert.simulation import Trajectory, cost_gradient, rollout, sensitivities, simulate
    from dalembert.spatial import angular_velocity, rotation_x, rotation_y, rotation_z
    from dalembert.studies import Study, sweep


__all__ = [
    "Beam",
    "Body",
    "Builder",
    "Configuration",
    "DalembertError",
    "DivisionByZero",
    "Equations",
    "EvaluationError",
    "Expr",
    "FileError",
    "InvalidExpression",
    "InvalidMechanism",
    "InvalidSystem",
    "Link",
    "Load",
    "Matrix",
    "Mechanism",
    "MissingDependency",
    "MissingInertia",
    "Model",
    "ParseError",
    "Proof",
    "Rolling",
    "SingularSystem",
    "Solution",
    "Study",
    "System",
    "TooLarge",
    "Trajectory",
    "Undecided",
    "UnknownName",
    "WrongMachineCode",
    "__version__",
    "abs",
    "acos",
    "analysis",
    "angular_velocity",
    "animate",
    "asin",
    "atan",
    "atan2",
    "check_answer",
    "check_derivation",
    "compile",
    "compile_function",
    "control",
    "coordinates",
    "cos",
    "cosh",
    "cost_gradient",
    "counterexample",
    "ddt",
    "ellipsoid",
    "equal",
    "exp",
    "export_jax",
    "from_sympy",
    "function",
    "hessian",
    "identification",
    "identify",
    "ik",
    "import_jax",
    "inputs",
    "jacobian",
    "load",
    "load_srdf",
    "log",
    "manipulability",
    "mechanism",
    "multipliers",
    "parameters",
    "parse",
    "pi",
    "picture",
    "report",
    "rollout",
    "rotation_x",
    "rotation_y",
    "rotation_z",
    "save",
    "sensitivities",
    "sign",
    "simulate",
    "simulation",
    "sin",
    "sinh",
    "solve_ik",
    "sqrt",
    "sweep",
    "tan",
    "tanh",
    "textbook",
    "time",
    "to_sympy",
]
