"""Exported Python and MATLAB are run: expected values by hand, and by Python itself."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest

from dalembert.errors import ParseError
from dalembert.reader.code.matlab import matlab_functions
from dalembert.reader.code.python import python_functions
from tests.cases import num_cases

PYTHON = '''"""arm: dynamics."""

from math import cos, sin


def f(q, p):
    """Return y.
    q: 2
    """
    t1 = sin(q[0])*p[1][0]
    t2 = -t1**(2) + float((q[1] > 0) - (q[1] < 0))
    return [[t1, t2]], t2


def g(x):
    return x/2
'''
MATLAB = """classdef arm
  % arm: dynamics
  methods (Static)
    function [out_y, out_z] = f(q, p)
      % q: 2
      t1 = sin(q(1))*p(2, 1);
      t2 = -t1^(2) + sign(q(2));
      out_y = [t1, t2; 1, 2];
      out_z = permute(reshape([1, 2, 3, 4, 5, 6], 3, 2, 1), [3, 2, 1]);
    end
  end
end
"""


def test_python() -> None:
    functions = python_functions(PYTHON)
    t1 = math.sin(0.5) * 3
    assert functions["f"]([0.5, -2.0], [[0.0], [3.0]]) == ([[t1, -(t1**2) - 1]], -(t1**2) - 1)
    assert functions["g"](3.0) == 1.5


def test_matlab() -> None:
    y, z = matlab_functions(MATLAB)["f"](np.array([0.5, -2.0]), np.array([[0.0], [3.0]]))
    t1 = math.sin(0.5) * 3
    assert y.tolist() == [[t1, -(t1**2) - 1], [1.0, 2.0]]
    # columns first in MATLAB, axes turned round: rows of three
    assert z.tolist() == [[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]]


def expression(draw: random.Random, depth: int) -> str:
    if not depth:
        return draw.choice(["x", "y", str(draw.randint(1, 9)), f"{draw.uniform(0.1, 3):.3f}"])
    a, b = expression(draw, depth - 1), expression(draw, draw.randrange(depth))
    kind = draw.choice(["{}+{}", "{}-{}", "{}*{}", "({})*({})", "({})/(1.5+({})**2)", "-{}+{}"])
    if draw.random() < 0.2:
        return f"sin({a})-{b}"
    return kind.format(a, b)


def test_expressions_have_the_values_of_python(draw: random.Random, scale: float) -> None:
    for _ in range(num_cases(300, scale)):
        text = expression(draw, draw.randint(1, 5))
        x, y = draw.uniform(0.2, 2), draw.uniform(0.2, 2)
        function = python_functions(f"def f(x, y):\n    t1 = {text}\n    return t1\n")["f"]
        # our own text, made above
        expected = eval(text, {"sin": math.sin, "x": x, "y": y})
        assert function(x, y) == pytest.approx(expected, rel=1e-14, abs=1e-14)


@pytest.mark.parametrize(
    "text",
    [
        "import os\n",
        "def f(x):\n    return y\n",
        "def f(x):\n    t1 = open(x)\n    return t1\n",
        "def f(x):\n    t1 = x.__class__\n    return t1\n",
        "def f(x):\n    t1 = x; import os\n    return t1\n",
        "x = 1\n",
    ],
)
def test_other_python_is_refused(text: str) -> None:
    with pytest.raises(ParseError):
        python_functions(text)


@pytest.mark.parametrize(
    "text",
    [
        MATLAB.replace("classdef arm", "x = 1"),
        MATLAB.replace("sin(", "system("),
        MATLAB.replace("t1^(2)", "t9^(2)"),
        MATLAB.replace("    end\n  end", "  end"),
        MATLAB.replace("sign(q(2));", "sign(q(2))"),
    ],
)
def test_other_matlab_is_refused(text: str) -> None:
    with pytest.raises(ParseError):
        matlab_functions(text)
