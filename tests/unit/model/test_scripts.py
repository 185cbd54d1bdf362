"""Generated Python and MATLAB compute what the model computes."""

import re

import numpy as np
import pytest

import dalembert as da

FUNCTIONS = ("mass_matrix", "bias", "forward_dynamics", "inverse_dynamics_derivatives")


def python_of(matlab: str) -> str:
    """Return MATLAB as Python: what its statements mean, written the other way."""
    text = re.sub(
        r"\b(q|qd|qdd|tau|u|parameters)\((\d+)\)", lambda m: f"{m[1]}[{int(m[2]) - 1}]", matlab
    )
    text = re.sub(r"\^", "**", text)
    text = re.sub(r"^.*?methods \(Static\)\n", "", text, flags=re.DOTALL)
    text = re.sub(r"^ +end$|^end$|^ +%.*$", "", text, flags=re.MULTILINE)
    text = re.sub(
        r"function \[(.*?)\] = (\w+)\((.*)\)", r"def \2(\3, _out='\1'.split(', ')):", text
    )
    text = re.sub(
        r"= \[(.*)\];$",
        lambda m: (
            f"= [{m[1].replace(';', ',')}]"
            if "," not in m[1]
            else f"= [[{m[1].replace('; ', '], [')}]]"
        ),
        text,
        flags=re.MULTILINE,
    )
    lines = []
    for line in text.split("\n"):
        if line.startswith("    def ") and lines:
            lines.append("      here = locals()\n      return [here[name] for name in _out]")
        lines.append(line.removesuffix(";"))
    lines.append("      here = locals()\n      return [here[name] for name in _out]")
    return "from math import *\nif True:\n" + "\n".join(lines)


@pytest.mark.parametrize("language", ["python", "matlab"])
def test_same_numbers(language: str, rng) -> None:
    model = da.compile(da.textbook.furuta_pendulum())
    text = str(model.source(language, functions=FUNCTIONS))
    names: dict = {}
    exec(text if language == "python" else python_of(text), names)  # our own text, for a test
    q, qd, w = rng.uniform(-1, 1, (3, 2))
    u = rng.uniform(-1, 1, len(model.symbols.inputs))
    p = rng.uniform(1, 2, len(model.symbols.parameters))
    arguments = {"mass_matrix": (q,), "bias": (q, qd), "forward_dynamics": (q, qd, u)}
    arguments["inverse_dynamics_derivatives"] = (q, qd, w)
    for name, given in arguments.items():
        expected = model.call(name, *given, parameters=p)
        found = names[name](*given, p)
        if language == "matlab" and len(found) == 1:
            (found,) = found
        for x, y in zip(np.atleast_1d(found), np.atleast_1d(expected), strict=True):
            assert np.allclose(x, y, rtol=1e-10, atol=1e-12), name


def test_functions_powers_and_signs(rng) -> None:
    (x,) = da.coordinates("x")
    (k,) = da.parameters("k")
    force = -k * da.sign(x.dot) - da.abs(x) ** da.parse("3/2", []).value - da.tanh(x) * da.pi
    model = da.compile(da.System(kinetic=x.dot**2 / 2, coordinates=[x], forces=[force]))
    names: dict = {}
    exec(
        str(model.source("python", functions=["forward_dynamics"])), names
    )  # our own text, for a test
    for v in (-1.0, 0.0, 2.0):
        q = rng.uniform(0.5, 1, 1)
        expected = model.forward_dynamics(q, [v], [], parameters=[2.0])
        assert np.allclose(names["forward_dynamics"](q, [v], [], [2.0]), expected, rtol=1e-14)


def test_names_of_a_file_cannot_leave_their_comment() -> None:
    name = 'x"""\nimport os\n%}\nend'
    arm = da.Builder(name).link("end", mass=1, inertia=(1, 1, 1)).revolute(name, "end").build()
    for language in ("python", "matlab"):
        text = da.compile(arm).source(language, functions=["gravity"])
        assert "\nimport os" not in text
        assert text.count('"""') in (0, 4)


def test_a_tensor_keeps_its_axes(rng) -> None:
    name = "inverse_dynamics_second_derivatives"
    model = da.compile(
        da.textbook.robots.planar_3r().bind(
            dict.fromkeys(da.textbook.robots.planar_3r().parameters, 1)
        )
    )
    names: dict = {}
    exec(str(model.source("python", functions=[name])), names)  # our own text, for a test
    q, qd, qdd = rng.uniform(-1, 1, (3, 3))
    for x, y in zip(names[name](q, qd, qdd), model.call(name, q, qd, qdd), strict=True):
        assert np.allclose(x, y, rtol=1e-10, atol=1e-10)
