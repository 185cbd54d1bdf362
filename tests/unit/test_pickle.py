"""Pickles and copies: data from which our own constructors build everything again."""

from __future__ import annotations

import copy
import inspect
import io
import json
import multiprocessing
import pickle
import random
import re
import tempfile
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.errors import DalembertError, InvalidExpression, ParseError
from dalembert.expr.data import pack, rebuilt, unpack
from dalembert.expr.graph import count_nodes
from dalembert.kernel.program.program import Program
from dalembert.ring import rebuild
from tests.effort import at_once, effort
from tests.figures import Figures
from tests.unit.pickle_work import make_symbols_in_another_order, work

x, y, z = da.coordinates("x y z")
m, l, g = da.parameters("m l g")
(f,) = da.inputs("f")


def arm() -> da.Mechanism:
    """Return a mechanism with a part of every kind, symbols among the numbers."""
    return (
        da.Builder("arm", gravity=(0, 0, -g))
        .link("rod", mass=m, com=(l / 2, 0, 0), inertia=(0, m * l**2 / 12, m * l**2 / 12))
        .revolute("hinge", "rod", axis=(1, 2, 3), damping=0.1, limits=(-1, 1))
        .link("slider", mass=1.25, inertia=(0.1, 0.2, 0.25, 0, 0.01, 0))
        .prismatic("slide", "slider", origin=(l, 0, 0), rpy=(0.1, 0.2, 0.3), mimic=("hinge", 2, l))
        .link("ball", mass=0.1, inertia=(1, 1, 1))
        .spherical("socket", "ball")
        .link("disc", mass=1, inertia=(1, 1, 2))
        .continuous("spin", "disc", origin=(0.1, 0, 0))
        .frame("tip", "slider", origin=(0, 0, 0.1))
        .loop("close", ("slider", (0, 0, 0)), ("world", (1, 0, 0)))
        .couple("gear", "spin", "hinge", 3)
        .actuator("motor", "hinge", gear_ratio=50, rotor_inertia=0.001)
        .spring("rope", ("rod", (0, 0, 0)), ("world", (0, 0, 1)), stiffness=5)
        .joint_spring("shaft", "hinge", "spin", stiffness=3)
        .build()
    )


def planar() -> da.Mechanism:
    two = da.textbook.robots.planar_arm_nr(2)
    return two.bind({p: Fraction(k + 3, 4) for k, p in enumerate(two.parameters)})


def disc() -> da.System:
    return da.textbook.rolling_disc()


def beam() -> da.Beam:
    (e,) = da.coordinates("e")
    return da.Beam(m, l, m * l**3, [e], shapes=[lambda s: s**2 * (3 - s) / 2])


def same_beams(a: da.Beam, b: da.Beam) -> bool:
    return a.bodies == b.bodies and a.potential() is b.potential()


def body() -> da.Body:
    R = da.rotation_z(x)
    return da.Body(m, (l * da.cos(x), l * da.sin(x), 0), da.Matrix.diagonal([1, 2, 3]), R)


def motion() -> da.Trajectory:
    return da.simulate(da.compile(planar()), [0.1, 0.2], [0.0, 0.3], 0.2)


def solution() -> da.Solution:
    model = da.compile(planar())
    target = model.forward_kinematics([0.3, 0.5], "tip")
    return da.solve_ik(model, target, frame="tip")


def study() -> da.Study:
    points = da.sweep.Grid({"x": [1.0, 2.0]})
    return da.sweep(lambda rows: {"y": rows["x"] ** 2}, points, tempfile.mkdtemp())


def same_arrays(a: Any, b: Any) -> bool:
    names = [n for n, value in vars(a).items() if isinstance(value, np.ndarray)]
    return bool(names) and all(np.array_equal(getattr(a, n), getattr(b, n)) for n in names)


def same_model(a: da.Model, b: da.Model) -> bool:
    q = np.linspace(0.1, 0.7, a.nq)
    return str(a) == str(b) and a.inverse_dynamics(q, q, q).tobytes() == (
        b.inverse_dynamics(q, q, q).tobytes()
    )


def same_equations(a: da.Equations, b: da.Equations) -> bool:
    parts = ("T", "V", "L", "M", "C", "N", "forces", "a", "A", "Ad", "drift", "lam")
    return a.system == b.system and all(getattr(a, n) == getattr(b, n) for n in parts)


def same_text(a: object, b: object) -> bool:
    return str(a) == str(b)


EXAMPLES: dict[str, tuple[Callable[[], Any], Callable[[Any, Any], bool]]] = {
    "Beam": (beam, same_beams),
    "Body": (body, lambda a, b: a == b),
    "Builder": (
        lambda: da.Builder("b").link("a", mass=m).revolute("j", "a"),
        lambda a, b: a.build() == b.build(),
    ),
    "Configuration": (
        lambda: da.compile(planar()).configuration,
        lambda a, b: a.q_names == b.q_names and np.array_equal(a.lower, b.lower),
    ),
    "Equations": (lambda: disc().equations(), same_equations),
    "Expr": (lambda: m * da.sin(x + y.dot) ** 2 / 3 - da.sqrt(2), lambda a, b: a is b),
    "Link": (lambda: arm().link("rod"), lambda a, b: a == b),
    "Load": (lambda: da.Load(force=(f, 0), point=(x, y)), lambda a, b: a == b),
    "Matrix": (lambda: da.Matrix([[x, 1, m], [y, x, z]]), lambda a, b: a == b),
    "Mechanism": (arm, lambda a, b: a == b and a.notes == b.notes),
    "Model": (lambda: da.compile(planar(), threads=1), same_model),
    "Proof": (lambda: disc().equations().replaced(C=disc().equations().C * 2).prove()[0],
              lambda a, b: a == b),
    "Rolling": (lambda: da.Rolling("rod", m, axis="y"), lambda a, b: a == b),
    "Solution": (solution, same_arrays),
    "Study": (study, lambda a, b: a == b and np.array_equal(a["y"], b["y"])),
    "System": (disc, lambda a, b: a == b),
    "Trajectory": (motion, same_arrays),
}  # fmt: skip
CLASSES = [name for name in da.__all__ if inspect.isclass(getattr(da, name))]
ERRORS = [name for name in CLASSES if issubclass(getattr(da, name), Exception)]
VALUES = [name for name in CLASSES if name not in ERRORS]


def test_every_public_class_has_an_example() -> None:
    """A new class needs one here: objects of all of them are sent to other processes."""
    assert sorted(VALUES) == sorted(EXAMPLES)


@pytest.mark.parametrize("name", VALUES)
def test_objects_come_back(name: str) -> None:
    make, same = EXAMPLES[name]
    value = make()
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        again = pickle.loads(pickle.dumps(value, protocol))
        assert type(again) is getattr(da, name)
        assert same(value, again)
    assert same(value, copy.deepcopy(value))
    assert same(value, copy.copy(value))
    inside = copy.deepcopy({"a": [value, value]})["a"]
    assert inside[0] is inside[1]


@pytest.mark.parametrize("name", ERRORS)
def test_errors_come_back(name: str) -> None:
    error = getattr(da, name)("what was expected")
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error)
    assert str(again) == str(error)
    assert str(copy.deepcopy(error)) == str(error)


OTHERS: dict[str, tuple[Callable[[], Any], Callable[[Any, Any], bool]]] = {
    "a kernel": (
        lambda: da.compile_function(x * da.sin(y), {"x": x, "y": y}, name="f"),
        lambda a, b: a.program == b.program and a(1.5, 0.5) == b(1.5, 0.5),
    ),
    "a kernel of numpy": (
        lambda: da.compile_function(x * da.sin(y), {"x": x, "y": y}, backend="numpy"),
        lambda a, b: a.program == b.program and a(1.5, 0.5) == b(1.5, 0.5),
    ),
    "a loop": (
        lambda: da.compile(planar()).loop({"s": x + y}, {"x": x, "y": y}, {"s": "x"}),
        lambda a, b: a(1.0, 0.5, steps=3).outputs == b(1.0, 0.5, steps=3).outputs,
    ),
    "a program": (
        lambda: da.compile(planar()).program("forward_dynamics"),
        lambda a, b: a == b and a.digest == b.digest,
    ),
    "a joint": (lambda: arm().joint("hinge"), lambda a, b: a == b),
    "energy": (lambda: motion().energy, same_arrays),
    "a system by its Lagrangian": (
        lambda: da.System(lagrangian=x.dot**2 * m / 2 - m * g * x, coordinates=[x]),
        lambda a, b: a == b,
    ),
    "a driven system": (da.textbook.driven_pendulum, lambda a, b: a == b),
    "a system of bodies": (
        lambda: da.System.from_bodies([body()], coordinates=[x], gravity=(0, 0, -g)),
        lambda a, b: a == b,
    ),
    "a model of a system": (
        lambda: da.compile(da.textbook.cart_pole()),
        lambda a, b: a.symbols == b.symbols and a.program("bias") == b.program("bias"),
    ),
    "a model with options": (
        lambda: da.compile(planar(), "numpy", passive=False),
        lambda a, b: b.backend == "numpy" and not b.description.passive and same_model(a, b),
    ),
    "equations of a mechanism": (
        lambda: da.textbook.robots.planar_arm_nr(2).equations(), same_equations
    ),
    "equations with a claim": (
        lambda: disc().equations().replaced(N=disc().equations().N * 2),
        lambda a, b: [p.verdict for p in a.prove()] == [p.verdict for p in b.prove()],
    ),
    "a mechanism that was accepted": (
        lambda: da.textbook.robots.puma560(), lambda a, b: a == b and b.accept_nonphysical
    ),
    "huge numbers": (
        lambda: da.Matrix([[Fraction(3**20_000, 7**20_000) * x, 10**40]]), lambda a, b: a == b
    ),
    "a derivation": (lambda: da.textbook.cart_pole().equations().derivation(), same_text),
    "base parameters": (
        lambda: da.textbook.robots.planar_arm_nr(2).base_parameters(), same_text
    ),
    "an element of a ring": (
        lambda: disc().equations().forms.T, lambda a, b: da.equal(rebuild(a), rebuild(b))
    ),
    "lumped parameters": (lambda: da.textbook.cart_pole().equations().lumped(), same_text),
    "a hamiltonian": (lambda: da.textbook.cart_pole().equations().hamiltonian(), same_text),
    "a regressor": (lambda: da.textbook.cart_pole().equations().regressor(), same_text),
}  # fmt: skip


@pytest.mark.parametrize("name", OTHERS)
def test_other_objects_come_back(name: str) -> None:
    make, same = OTHERS[name]
    value = make()
    assert same(value, pickle.loads(pickle.dumps(value)))
    assert same(value, copy.deepcopy(value))


# ---- a pickle of ours is data


class OnlyOurs(pickle.Unpickler):
    """Refuses every name that is not of dalembert."""

    def find_class(self, module: str, name: str) -> Any:
        assert module.startswith("dalembert."), f"{module}.{name}"
        return super().find_class(module, name)


DATA_ALONE = sorted(set(VALUES) - {"Builder", "Solution"})


@pytest.mark.parametrize("name", DATA_ALONE)
def test_a_pickle_names_nothing_but_our_own_functions(name: str) -> None:
    """Not even NumPy's: who reads pickles may forbid every other name."""
    make, same = EXAMPLES[name]
    value = make()
    assert same(value, OnlyOurs(io.BytesIO(pickle.dumps(value))).load())


def test_shared_parts_stay_shared() -> None:
    """A graph of 180 nodes that is a tree of 2⁶⁰."""
    e = x
    for _ in range(60):
        e = e * e + y
    data = pickle.dumps(e)
    assert len(data) < 10_000
    assert pickle.loads(data) is e
    matrix = da.Matrix([[e, e + 1], [da.sin(e), x]])
    assert len(pickle.dumps(matrix)) < 10_000
    assert pickle.loads(pickle.dumps(matrix)) == matrix


def test_a_deep_graph_takes_time_and_space_in_proportion() -> None:
    sizes = []
    for count in (10_000, 20_000):
        e = x
        for _ in range(count):
            e = da.sin(e) + y
        assert count_nodes([e]) == 2 * count + 2
        data = at_once(lambda e=e: pickle.dumps(e))
        sizes.append(len(data))
        assert at_once(lambda data=data: pickle.loads(data)) is e
        assert copy.deepcopy(e) is e
    assert sizes[1] < 2.2 * sizes[0]


def test_symbols_keep_their_identity() -> None:
    for s in (x, x.dot, x.ddot, x.ddot.dot, m, f, da.time, *da.multipliers("lam1"), da.pi):
        assert pickle.loads(pickle.dumps(s)) is s
    # the same name as another kind is another symbol
    (p,) = da.parameters("x")
    again = pickle.loads(pickle.dumps([p, x]))
    assert again[0] is p
    assert again[1] is x


def test_another_process_gets_the_same() -> None:
    """Spawned, with symbols of other ages: the same bits, the same text, the same symbols."""
    e = m * da.sin(x * y) + l * y
    sent = da.compile(planar()), motion(), disc().equations(), e
    context = multiprocessing.get_context("spawn")
    with context.Pool(1, make_symbols_in_another_order) as pool:
        numbers, text, verdicts, derivative = pool.apply(work, sent)
    here = work(*sent)
    assert numbers == here[0]
    assert text == here[1]
    assert verdicts == here[2]
    assert derivative is here[3]


# ---- hostile data

NODES = '{"format":"dalembert values 1","nodes":%s,"roots":[0],"value":{"e":0}}'
VALUE = '{"format":"dalembert values 1","nodes":[],"roots":[],"value":%s}'
LINK = "dalembert.mechanism.parts.link.Link"
HOSTILE = {
    "no JSON": "x",
    "a list": "[]",
    "another format": '{"format":"x","nodes":[],"roots":[],"value":1}',
    "no nodes": '{"format":"dalembert values 1","nodes":1,"roots":[],"value":1}',
    "a root that is none": NODES % "[]",
    "an operand after its user": NODES % '[["neg",0]]',
    "a negative operand": NODES % '["1/1",["neg",-1]]',
    "a true operand": NODES % '["1/1",["neg",true]]',
    "an operation that is none": NODES % '[["__import__",0]]',
    "three operands": NODES % '["1/1",["add",0,0,0]]',
    "division by zero": NODES % '["0/1",["symbol","parameter","a",0],["div",1,0]]',
    "a number over zero": NODES % '["1/0"]',
    "no number": NODES % '["1.5"]',
    "log of a negative number": NODES % '["-1/1",["log",0]]',
    "root of a negative number": NODES % '["-1/1",["pow",0,"1/2"]]',
    "a huge power": NODES % '["3/1",["pow",0,"ffffffffff/1"]]',
    "a symbol with another name": NODES % '[["symbol","parameter","a b",0]]',
    "code for a name": NODES % '[["symbol","parameter","os.system(1)",0]]',
    "a kind that is none": NODES % '[["symbol","operator","a",0]]',
    "a rate of a parameter": NODES % '[["symbol","parameter","a",1]]',
    "a negative order": NODES % '[["symbol","coordinate","a",-1]]',
    "a huge order": NODES % '[["symbol","coordinate","a",99999]]',
    "deep lists": VALUE % ("[" * 100_000),
    "deep enough": VALUE % ("[" * 60 + "]" * 60),
    "a class that is none": VALUE % '{"o":["os.system",{"d":[["command","true"]]}]}',
    "a class of the library": VALUE % '{"o":["subprocess.Popen",{"d":[["args","true"]]}]}',
    "a class that is not packed": VALUE % '{"o":["dalembert.files.write_whole",{"d":[]}]}',
    "arguments that are none": VALUE % f'{{"o":["{LINK}",{{"d":[["os",1]]}}]}}',
    "arguments as a list": VALUE % f'{{"o":["{LINK}",[1]]}}',
    "no arguments": VALUE % f'{{"o":["{LINK}",{{"d":[]}}]}}',
    "a key that is a list": VALUE % '{"d":[[[1],2]]}',
    "a pair of three": VALUE % '{"d":[[1,2,3]]}',
    "a matrix with holes": VALUE % '{"m":[2,2,0],"n":null}',
    "a matrix of negative size": VALUE % '{"m":[-1,-1,0],"n":null}',
    "a float that is none": VALUE % '{"x":"__import__"}',
    "an integer that is none": VALUE % '{"i":"xyz"}',
    "two tags": VALUE % '{"i":"1","x":"1"}',
    "an unknown tag": VALUE % '{"z":1}',
    "a plain float": VALUE % "1.5",
    "infinity": VALUE % "Infinity",
    "a key twice": '{"format":"a","format":"b"}',
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_text_is_refused_at_once(name: str, figures: Figures) -> None:
    """G5: names of functions and classes in it are only names."""

    def refused() -> None:
        with pytest.raises(DalembertError, match="expected"):
            unpack(HOSTILE[name])

    at_once(refused)
    figures.count("hostile pickles refused")


def test_objects_are_checked_when_they_are_built_again() -> None:
    """A pickle cannot bring in what a constructor refuses."""
    text = pack(planar())
    # the first number of an inertia is the mass
    negative = re.sub(r'(\["m",)(\{"f":")', r"\1\2-", text)
    assert negative != text
    with pytest.raises(da.InvalidMechanism, match="not negative"):
        rebuilt(da.Mechanism, negative)
    with pytest.raises(da.InvalidSystem):
        rebuilt(da.System, pack(disc()).replace('"parameter"', '"multiplier"'))
    with pytest.raises(ParseError, match="expected an object of System, got Mechanism"):
        rebuilt(da.System, text)
    with pytest.raises(DalembertError):
        rebuilt(print, text)  # type: ignore[arg-type]
    for bad in (1, None, b"text", ["text"]):
        with pytest.raises(ParseError):
            unpack(bad)  # type: ignore[arg-type]


PROGRAMS: dict[str, Callable[[dict[str, Any]], object]] = {
    "an operation that is none": lambda d: d["code"].__setitem__(0, ["system", [], None]),
    "an operand that is none": lambda d: d["code"].append(["neg", [10**6], None]),
    "an operand as text": lambda d: d["code"].append(["neg", ["0"], None]),
    "a result that is none": lambda d: d["results"].__setitem__(0, 10**6),
    "one result too few": lambda d: d["results"].pop(),
    "an input that is none": lambda d: d["code"].__setitem__(0, ["input", [], (99, 0)]),
    "a value as text": lambda d: d["code"].__setitem__(0, ["const", [], "1/0"]),
    "a name that is none": lambda d: d.update(name=1),
    "ports that are none": lambda d: d.update(inputs=(1, 2)),
    "no code": lambda d: d.update(code=3),
    "an instruction of one": lambda d: d["code"].__setitem__(0, ["neg"]),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_is_checked_when_it_is_read(name: str) -> None:
    program = da.compile_function(x * da.sin(y), {"x": x, "y": y}).program
    fields: Any = program.packed_fields()
    PROGRAMS[name](fields)
    tag = f"{Program.__module__}.{Program.__qualname__}"
    tree = json.loads(pack(fields))
    tree["value"] = {"o": [tag, tree["value"]]}
    with pytest.raises(DalembertError):
        rebuilt(Program, json.dumps(tree))


def test_what_is_no_data_is_not_packed() -> None:
    for value in (print, object(), {1, 2}, np.zeros(3), lambda: 1):
        with pytest.raises(InvalidExpression, match="expected values that are data"):
            pack(value)
    with pytest.raises(InvalidExpression, match="expected a matrix of expressions"):
        pack(disc().equations().forms.M)


def mutated_text(text: str, draw: random.Random) -> str:
    for _ in range(draw.randint(1, 3)):
        i = draw.randrange(len(text))
        j = min(len(text), i + draw.randint(0, 30))
        new = draw.choice(["", "null", '"', "[]", "{}", "1", "-1", "1e5", text[i:j], "e", "true"])
        text = text[:i] + new + text[j:]
    return text


def mutated_tree(text: str, draw: random.Random) -> str:
    """Return the text with a value replaced by one from another place, or by a strange one."""
    tree = json.loads(text)
    places: list[tuple[Any, Any]] = []
    pending = [tree]
    while pending:
        at = pending.pop()
        keys = list(at) if isinstance(at, dict) else range(len(at))
        places += [(at, key) for key in keys]
        pending += [at[key] for key in keys if isinstance(at[key], dict | list)]
    for _ in range(draw.randint(1, 2)):
        at, key = draw.choice(places)
        donor, other = draw.choice(places)
        strange = [
            None,
            True,
            0,
            -1,
            10**30,
            "",
            "x",
            [],
            {},
            {"t": []},
            {"x": "nan"},
            {"f": "-1/3"},
        ]
        at[key] = draw.choice([*strange, *[json.loads(json.dumps(donor[other]))] * 12])
    return json.dumps(tree)


def fuzz(count: int, seed: int) -> dict[str, int]:
    """Read mutated texts of objects; return how many were read, refused, or raised otherwise."""
    draw = random.Random(seed)
    program = da.compile(planar()).program("mass_matrix")
    values = (arm(), disc(), body(), planar(), program, disc().equations(), m * da.sin(x) / y)
    texts = [pack(value) for value in values]
    found = {"tried": 0, "read": 0, "refused": 0, "foreign": 0}
    for _ in range(count):
        text = draw.choice([mutated_text, mutated_tree])(draw.choice(texts), draw)
        found["tried"] += 1
        try:
            unpack(text)
            found["read"] += 1
        except DalembertError:
            found["refused"] += 1
        except Exception:
            found["foreign"] += 1
    return found


def test_mutated_texts_are_read_or_refused(rng: np.random.Generator, figures: Figures) -> None:
    found = fuzz(effort(800), int(rng.integers(2**31)))
    assert found["foreign"] == 0
    assert found["refused"] > found["tried"] // 2
    for name, number in found.items():
        figures.count(f"packed texts {name}", number)


def test_methods_of_a_model_can_be_sent_before_and_after_they_were_called() -> None:
    model = da.compile(da.textbook.robots.ur5e())
    q = np.array([0.1, -1.0, 0.5, 0.2, 0.3, 0.4])
    batch = np.tile(q, (64, 1))
    for method in (lambda: model.mass_matrix, lambda: model.center_of_mass):
        expected = method()(q)
        # compiled code has taken the place of the method, for one state and for many
        method()(batch)
        again = pickle.loads(pickle.dumps(method()))
        assert again.__name__ == method().__name__
        assert (again(q) == expected).all()
        assert (pickle.loads(pickle.dumps(again))(batch)[0] == method()(batch)[0]).all()
    kernel = model.compile([x * 2 for x in model.symbols.q], list(model.symbols.q))
    kernel(q)
    fast = kernel.with_fast_calls(lambda *_: None)
    with pytest.raises(TypeError, match="send the model"):
        pickle.dumps(fast)
