"""A system in TOML: the same as in Python, and every fault with its line."""

import re
from pathlib import Path

import pytest

import dalembert as da
from dalembert.cli.files.lagrangian import read_lagrangian
from tests.effort import refused_at_once

CART = """\
name = "cart"
coordinates = ["x", "a"]
inputs = ["F"]
T = "1/2*(mc + m)*x.dot^2 + m*x.dot*l*a.dot*cos(a) + 1/2*m*l^2*a.dot^2"
V = "-m*g*l*cos(a)"
R = "1/2*d*a.dot^2"
forces = { x = "F" }

[parameters]
mc = 1.5
m = 0.1
l = 0.5
g = 9.81
d = 0

[start]
q = [0, 1.5]
"""


PAGE = Path(__file__).parents[3] / "docs" / "command_line.md"


def written(folder: Path, text: str) -> str:
    path = folder / "system.toml"
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_same_equations_as_in_python(tmp_path: Path) -> None:
    found = read_lagrangian(written(tmp_path, CART))
    x, a = da.coordinates("x a")
    mc, m, l, g, d = da.parameters("mc m l g d")
    (F,) = da.inputs("F")
    T = (mc + m) * x.dot**2 / 2 + m * l * x.dot * a.dot * da.cos(a) + m * (l * a.dot) ** 2 / 2
    V = -m * g * l * da.cos(a)
    expected = da.System(
        kinetic=T, potential=V, coordinates=[x, a], forces=[F, 0], dissipation=d * a.dot**2 / 2
    )
    assert found.name == "cart"
    assert da.equal(found.description.equations().residual, expected.equations().residual)


def test_values_are_exact_decimals(tmp_path: Path) -> None:
    found = read_lagrangian(written(tmp_path, CART))
    (m,) = da.parameters("m")
    assert 10 * found.values[m] == 1
    assert found.q == (0.0, 1.5)


def test_particles_constraints_and_short_names(tmp_path: Path) -> None:
    text = """\
coordinates = ["x", "y"]
parameters = ["m", "g", "l"]
constraints = ["r2 - l^2"]
gravity = ["0", "-g"]

[define]
r2 = "x^2 + y^2"

[[particles]]
mass = "m"
position = ["x", "y"]
"""
    eq = read_lagrangian(written(tmp_path, text)).description.equations()
    # m ẍ = 2 x λ, m ÿ + m g = 2 y λ: by hand
    assert str(eq).split("\n")[:2] == ["m ẍ = 2 x λ₁", "m ÿ + m g = 2 y λ₁"]
    assert eq.degrees_of_freedom() == 1


def test_time_may_occur(tmp_path: Path) -> None:
    text = 'coordinates = ["q"]\nT = "q.dot^2/2"\nforces = ["sin(3*t)"]'
    assert str(read_lagrangian(written(tmp_path, text)).description.equations()) == "q̈ = sin(3 t)"


@pytest.mark.parametrize(
    ("old", "new", "line", "said"),
    [
        ("V =", "W =", 5, "known key"),
        ("cos(a)", "cos(b)", 4, "known name"),
        ('["x", "a"]', '["x", "x"]', 2, "once"),
        ('["x", "a"]', '["x", "a b"]', 2, "letters and digits"),
        ('["x", "a"]', "[]", 2, "at least one"),
        ('["x", "a"]', '"x"', 2, "a list"),
        ('{ x = "F" }', '{ y = "F" }', 7, "coordinate"),
        ("m = 0.1", 'm = "a"', 11, "a number"),
        ("m = 0.1", "m = nan", 1, "TOML"),
        ("m = 0.1", "m = 1e999999999", 1, "TOML"),
        ("q = [0, 1.5]", "q = [0]", 17, "2 numbers"),
        ("q = [0, 1.5]", "p = [0, 1]", 17, "q or qd"),
        ('name = "cart"', "name = 3", 1, "a text"),
        ("V =", "V == ", 5, "TOML"),
        ("x.dot^2", "x.dot^2^2^999", 4, "exponent"),
    ],
)
def test_a_fault_has_its_line(tmp_path: Path, old: str, new: str, line: int, said: str) -> None:
    path = written(tmp_path, CART.replace(old, new, 1))
    error = refused_at_once(da.DalembertError, lambda: read_lagrangian(path))
    assert str(error).startswith(f"{path}:{line}: "), str(error)
    assert said in str(error)


def test_what_contradicts_itself_names_the_file(tmp_path: Path) -> None:
    path = written(tmp_path, 'coordinates = ["q"]\nparameters = ["m"]')
    with pytest.raises(da.InvalidSystem, match="expected either kinetic"):
        read_lagrangian(path)


@pytest.mark.parametrize(
    "text", ["a = " + "[" * 5000, "x = " + "9" * 5000, "\x00", "coordinates = " + "['a']," * 9999]
)
def test_hostile_files_are_refused_at_once(tmp_path: Path, text: str) -> None:
    path = written(tmp_path, text)
    refused_at_once(da.InvalidSystem, lambda: read_lagrangian(path))


def test_huge_and_binary_files(tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    path.write_bytes(b"\xff\xfe\n\n\x80")
    with pytest.raises(da.InvalidSystem, match=r"a\.toml:1: expected text in UTF-8"):
        read_lagrangian(str(path))
    with path.open("wb") as file:
        file.truncate(1 << 40)
    refused_at_once(da.FileError, lambda: read_lagrangian(str(path)))


@pytest.mark.parametrize("number", [0, 1])
def test_files_of_the_page_can_be_read(tmp_path: Path, number: int) -> None:
    blocks = re.findall(r"^```toml\n(.*?)^```", PAGE.read_text("utf-8"), re.DOTALL | re.MULTILINE)
    assert len(blocks) == 2
    found = read_lagrangian(written(tmp_path, blocks[number]))
    assert found.description.equations().degrees_of_freedom() == 2 - number
