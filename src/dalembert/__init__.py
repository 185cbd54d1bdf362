"""Exact, readable, proved equations of motion for robots and other mechanisms."""

from dalembert import textbook
from dalembert.errors import (
    DalembertError,
    DivisionByZero,
    EvaluationError,
    InvalidExpression,
    InvalidMechanism,
    InvalidSystem,
    MissingDependency,
    ParseError,
    SingularSystem,
    TooLarge,
    Undecided,
    UnknownName,
)
from dalembert.expr import (
    PI as pi,
)
from dalembert.expr import (
    Expr,
    Matrix,
    acos,
    asin,
    atan2,
    coordinates,
    cos,
    ddt,
    exp,
    hessian,
    inputs,
    jacobian,
    log,
    multipliers,
    parameters,
    sign,
    sin,
    sqrt,
    tan,
    tanh,
    time,
)
from dalembert.expr import (
    abs_ as abs,
)
from dalembert.expr.parse import parse
from dalembert.mechanics import Body, Equations, Load, Proof, System
from dalembert.mechanism import Builder, Link, Mechanism
from dalembert.mechanism.io import load, save
from dalembert.model import Model, compile, compile_function
from dalembert.ring import counterexample, equal
from dalembert.ring.sympy_bridge import from_sympy, to_sympy
from dalembert.spatial import angular_velocity, rotation_x, rotation_y, rotation_z

__version__ = "0.1.0"

__all__ = [
    "Body",
    "Builder",
    "DalembertError",
    "DivisionByZero",
    "Equations",
    "EvaluationError",
    "Expr",
    "InvalidExpression",
    "InvalidMechanism",
    "InvalidSystem",
    "Link",
    "Load",
    "Matrix",
    "Mechanism",
    "MissingDependency",
    "Model",
    "ParseError",
    "Proof",
    "SingularSystem",
    "System",
    "TooLarge",
    "Undecided",
    "UnknownName",
    "abs",
    "acos",
    "angular_velocity",
    "asin",
    "atan2",
    "compile",
    "compile_function",
    "coordinates",
    "cos",
    "counterexample",
    "ddt",
    "equal",
    "exp",
    "from_sympy",
    "hessian",
    "inputs",
    "jacobian",
    "load",
    "log",
    "multipliers",
    "parameters",
    "parse",
    "pi",
    "rotation_x",
    "rotation_y",
    "rotation_z",
    "save",
    "sign",
    "sin",
    "sqrt",
    "tan",
    "tanh",
    "textbook",
    "time",
    "to_sympy",
]
