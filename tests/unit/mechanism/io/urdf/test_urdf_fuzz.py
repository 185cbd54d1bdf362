"""Mutated URDF files: only our own errors, no hang, and little memory."""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from dalembert.errors import DalembertError
from dalembert.mechanism.io.urdf.read import load_urdf
from dalembert.mechanism.io.urdf.write import save_urdf
from tests.cases import num_cases
from tests.effort import at_once
from tests.figures import Figures

BOMB_SECONDS = 5.0  # of processor time; on an idle machine each takes less than one
MEGABYTES = 256

SEEDS = [
    """<robot name="r">
<link name="a"><inertial><mass value="1"/>
<inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial></link>
<link name="b">
<inertial>
<origin xyz="0 0.1 0.2" rpy="0 0 0.3"/>
<mass value="2"/>
<inertia ixx="0.2" ixy="0.01" ixz="0" iyy="0.3" iyz="0" izz="0.25"/>
</inertial>
<visual><geometry><mesh filename="package://a/b.stl"/></geometry></visual>
</link>
<joint name="j" type="revolute">
<parent link="a"/>
<child link="b"/>
<axis xyz="0 1 1"/>
<limit lower="-1" upper="2" effort="10" velocity="3"/>
<dynamics damping="0.5" friction="0.1"/>
</joint>
<gazebo reference="b"><mu>1</mu></gazebo>
</robot>""",
    """<?xml version="1.0" encoding="utf-8"?>
<robot name="p">
<link name="a"/>
<link name="b"><inertial><mass value="1"/>
<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
<link name="c"/>
<joint name="j" type="planar"><parent link="a"/><child link="b"/><axis xyz="1 2 3"/></joint>
<joint name="k" type="continuous"><parent link="b"/><child link="c"/></joint>
<joint name="l" type="fixed"><parent link="c"/><child link="d"/></joint>
<link name="d"><inertial><mass value="0.5"/><origin xyz="1e-3 0 0"/>
<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1.5"/></inertial></link>
<link name="e"><inertial><mass value="0.5"/>
<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1.5"/></inertial></link>
<joint name="m" type="prismatic"><parent link="d"/><child link="e"/>
<limit lower="0" upper="1" effort="1" velocity="1"/><mimic joint="k" multiplier="2"/></joint>
</robot>""",
]
WORDS = [
    *("", "nan", "inf", "-inf", "1e999", "1e-999999", "-0", "0", "1e308", "1e-307", "9" * 90),
    *("1,5", "0x1F", "1_0", "0 0 0", "0 0", "1e300 1e300 1e300", "1e-200 0 1e-200", "٣", "a", "b"),
    *("j", "k", "robot", "link", "joint", "floating", "planar", "fixed", "revolute", "&amp;"),
    *("&lt;", "&x;", "&#0;", "&#x10FFFF;", "<!--", "-->", "<![CDATA[", "]]>", "<?x?>", "<!DOCTYPE"),
    *("\0", "\ufeff", "\ud7ff", "é", "\x1b", "'", '"', "<", ">", "/>", "=", " ", "\n", "{}", "%s"),
    *("../../../etc/passwd", "file:///etc/passwd", "xmlns:x='y'", "x:y", "__class__", "${1}"),
]


def mutate_bytes(draw: random.Random, text: str) -> bytes:
    data = bytearray(text.encode(errors="surrogatepass"))
    for _ in range(draw.choice([1, 1, 2, 5, 20])):
        at = draw.randrange(len(data) + 1)
        match draw.randrange(5):
            case 0 if at < len(data):
                data[at] ^= 1 << draw.randrange(8)
            case 1:
                data[at:at] = bytes(draw.randrange(256) for _ in range(draw.randint(1, 4)))
            case 2:
                del data[at : at + draw.choice([1, 3, 30, 300])]
            case 3:
                data[at:at] = draw.choice(WORDS).encode()
            case _:
                other = draw.randrange(len(data) + 1)
                data[at:at] = data[other : other + draw.choice([5, 50, 500])]
    return bytes(data)


def mutate_tree(draw: random.Random, text: str) -> bytes:
    """Change lines and attribute values: the document mostly stays XML."""
    lines = text.split("\n")
    for _ in range(draw.choice([1, 1, 2, 4])):
        at, other = draw.randrange(len(lines)), draw.randrange(len(lines))
        match draw.randrange(6):
            case 0 if len(lines) > 2:
                del lines[at]
            case 1:
                lines.insert(at, lines[other])
            case 2:
                lines[at], lines[other] = lines[other], lines[at]
            case _:
                # every second part stands between quotes
                parts = lines[at].split('"')
                if len(parts) > 2:
                    k = draw.randrange(1, len(parts), 2)
                    words = [draw.choice(WORDS), draw.choice(lines[other].split('"'))]
                    parts[k] = draw.choice([*words, parts[k] + words[0], "-" + parts[k]])
                    lines[at] = '"'.join(parts)
    return "\n".join(lines).encode(errors="surrogatepass")


@pytest.mark.parametrize("mutate", [mutate_bytes, mutate_tree])
def test_mutated_files_give_a_mechanism_or_our_own_error(
    mutate: Callable[[random.Random, str], bytes], rng: np.random.Generator, scale: float
) -> None:
    draw = random.Random(int(rng.integers(2**63)))
    loaded = 0
    for _ in range(num_cases(1_500, scale)):
        data = mutate(draw, draw.choice(SEEDS))
        options = {"repair": draw.random() < 0.5, "accept_nonphysical": draw.random() < 0.5}
        try:
            mechanism = at_once(lambda data=data, options=options: load_urdf(data, **options))
            loaded += 1
            if loaded % 50 == 0:
                # what was read can be written and read again
                again = load_urdf(save_urdf(mechanism), repair=True, accept_nonphysical=True)
                assert again.nv == mechanism.nv
        except DalembertError as error:
            assert str(error).strip()  # noqa: PT017
        except Exception as error:
            pytest.fail(f"{type(error).__name__}: {error}\nfrom {data!r} with {options}")
    assert loaded > 0


def inside(text: str) -> str:
    return f'<robot name="r"><link name="a"/>{text}</robot>'


def joint(i: int, more: str = "") -> str:
    ends = f'<parent link="a"/><child link="b{i}"/>'
    return f'<joint name="j{i}" type="continuous">{ends}{more}</joint>'


def entities() -> str:
    lines = [f'<!ENTITY a{i} "' + f"&a{i - 1};" * 10 + '">' for i in range(1, 20)]
    return '<!DOCTYPE r [<!ENTITY a0 "1">' + "".join(lines) + ']><robot name="&a19;"/>'


def mass(value: str) -> str:
    return inside(f'<link name="b"><inertial><mass value="{value}"/></inertial></link>')


BOMBS: dict[str, Callable[[], str]] = {
    "entities": entities,
    "depth": lambda: inside("<a>" * 10**6),
    "elements": lambda: inside("<a/>" * 10**7),
    "tags": lambda: inside("<link/>" + "".join(f"<a{i}/>" for i in range(99_000))),
    "tag": lambda: inside("<" + "a" * 5_000_000 + "/>"),
    "attribute": lambda: inside("<link " + "a" * 5_000_000 + "='1'/>"),
    "attributes": lambda: inside("<link " + " ".join(f"a{i}='1'" for i in range(10**5)) + "/>"),
    "value": lambda: inside("<link name='" + "a" * 5_000_000 + "'/>"),
    "size": lambda: " " * (65 * 2**20) + inside(""),
    "exponent": lambda: mass("1e999999999"),
    "digits": lambda: mass("9" * 90_000),
    "unclosed": lambda: '<robot name="' + "<" * 10**6,
    "comment": lambda: inside("<!--" + "-" * 10**7),
    "dangling": lambda: inside("".join(joint(i) for i in range(20_000))),
    "mimics": lambda: inside(
        "".join(
            f'<link name="b{i}"/>' + joint(i, f'<mimic joint="j{i + 1}"/>') for i in range(15_000)
        )
    ),
    "faults": lambda: inside('<link name=""/>' * 90_000),
}

LOAD = """
import sys, time
from tests.effort import peak_memory
from dalembert.errors import DalembertError
from dalembert.mechanism.io.urdf.read import load_urdf

before, start = peak_memory(), time.process_time()
try:
    load_urdf(sys.argv[1], repair=True, accept_nonphysical=True)
except DalembertError as error:
    assert len(str(error)) < 100_000
else:
    raise SystemExit("accepted")
print(time.process_time() - start, (peak_memory() - before) / 2**20)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no module resource")
@pytest.mark.parametrize("bomb", BOMBS)
def test_a_bomb_is_refused_quickly_in_little_memory(
    tmp_path: Path, bomb: str, figures: Figures
) -> None:
    """G3."""
    path = tmp_path / "bomb.urdf"
    path.write_text(BOMBS[bomb](), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-c", LOAD, str(path)],
        cwd=Path(__file__).parents[5],
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    seconds, megabytes = map(float, done.stdout.split())
    assert seconds < BOMB_SECONDS
    assert megabytes < MEGABYTES
    figures.count("bombs refused")
    figures.worst("MiB of a bomb", megabytes)
    figures.worst("seconds of a bomb", seconds)
