"""A model is data from a stranger: it opens nothing outside its folder and fills no memory."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from dalembert.errors import InvalidMechanism
from dalembert.mechanism.io.mjcf.read import load_mjcf
from tests.effort import at_once, refused_at_once
from tests.figures import Figures
from tests.unit.mechanism.io.mjcf.mjcf_models import TETRAHEDRON, hinge, mujoco

opened: list[str] | None = None


def _watch(event: str, arguments: tuple[Any, ...]) -> None:
    if opened is not None and event == "open" and isinstance(arguments[0], str | bytes):
        opened.append(os.fsdecode(arguments[0]))


sys.addaudithook(_watch)


@pytest.fixture
def jail(tmp_path: Path) -> Path:
    """A folder with a model's files; outside lie files that would serve as well."""
    secret = {"secret.xml": "<mujoco/>", "secret.obj": TETRAHEDRON, "mesh.obj": TETRAHEDRON}
    root = tmp_path / "inside"
    for folder in (tmp_path, tmp_path / "outside"):
        folder.mkdir(exist_ok=True)
        for name, text in secret.items():
            (folder / name).write_text(text)
    (root / "sub").mkdir(parents=True)
    (root / "folder.obj").mkdir()
    (root / "link.obj").symlink_to(tmp_path / "secret.obj")
    (root / "relative.obj").symlink_to("../secret.obj")
    (root / "chain.obj").symlink_to("link.obj")
    (root / "out").symlink_to(tmp_path / "outside")
    (root / "sub" / "up").symlink_to("../..")
    (root / "loop.obj").symlink_to("loop.obj")
    (root / "zero.obj").symlink_to("/dev/zero")
    if hasattr(os, "mkfifo"):
        os.mkfifo(root / "pipe.obj")
    return root


@contextmanager
def watching(root: Path) -> Iterator[list[str]]:
    """Record what is opened inside, and check that all of it lies below the root."""
    global opened
    load_mjcf(hinge())  # whatever is imported late
    found = opened = []
    try:
        yield found
    finally:
        opened = None
    real = os.path.realpath(root)
    assert [p for p in found if not os.path.realpath(p).startswith(real + os.sep)] == []


FORMS = [
    "../secret.obj",
    "../outside/secret.obj",
    "../../secret.obj",
    "./../secret.obj",
    "sub/../../secret.obj",
    "sub/./..//../secret.obj",
    "sub/../sub/../../secret.obj",
    "../inside/../secret.obj",
    "{tmp}/secret.obj",
    "/{tmp}/secret.obj",
    "/etc/passwd",
    "//etc/passwd",
    "~/secret.obj",
    "~root/secret.obj",
    "file://{tmp}/secret.obj",
    "file:{tmp}/secret.obj",
    "FILE:///{tmp}/secret.obj",
    "http://127.0.0.1:9/secret.obj",
    "https://example.com/secret.obj",
    "package://a/../../secret.obj",
    "model://secret.obj",
    "str:../secret.obj",
    "data:text/plain,v",
    "C:/secret.obj",
    "C:\\secret.obj",
    "C:secret.obj",
    "\\\\server\\share\\secret.obj",
    "//server/share/secret.obj",
    "..\\secret.obj",
    "sub\\..\\..\\secret.obj",
    "%2e%2e/secret.obj",
    "..%2fsecret.obj",
    "%2e%2e%2fsecret.obj",
    "..%5csecret.obj",
    "....//secret.obj",
    ".../secret.obj",
    "..&#10;/secret.obj",
    "&#9;../secret.obj",
    "secret.obj&#10;",
    " ../secret.obj",
    "..",
    ".",
    "sub",
    "folder.obj",
    "link.obj",
    "relative.obj",
    "chain.obj",
    "out/secret.obj",
    "out/../secret.obj",
    "sub/up/secret.obj",
    "sub/up/outside/secret.obj",
    "loop.obj",
    "zero.obj",
    "pipe.obj",
    "mesh.obj/../../secret.obj",
    "x" * 300 + ".obj",
    "x/" * 3000 + "secret.obj",
]
PLACES = {
    "include": '<mujoco><include file="{form}"/></mujoco>',
    "mesh": '<mujoco><asset><mesh name="m" file="{form}"/></asset></mujoco>',
    "model": '<mujoco><asset><model name="m" file="{form}"/></asset></mujoco>',
    "flexcomp": """<mujoco><worldbody><flexcomp name="f" type="mesh" file="{form}"/></worldbody>
      </mujoco>""",
}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("form", FORMS)
def test_no_way_out(jail: Path, form: str, place: str, figures: Figures) -> None:
    """G4."""
    figures.count("ways out refused")
    text = PLACES[place].format(form=form.replace("{tmp}", str(jail.parent)))
    (jail / "model.xml").write_text(text)
    with (
        watching(jail) as found,
        pytest.raises(InvalidMechanism, match=r"model\.xml:1: expected"),
    ):
        load_mjcf(jail / "model.xml")
    assert [os.path.basename(p) for p in found] == ["model.xml"]


@pytest.mark.parametrize("attribute", ["meshdir", "assetdir"])
@pytest.mark.parametrize(
    "folder",
    ["..", "../outside", "{tmp}", "file://{tmp}", "out", "sub/up", "sub/../..", "C:\\", "%2e."],
)
def test_no_way_out_through_folders(jail: Path, folder: str, attribute: str) -> None:
    folder = folder.replace("{tmp}", str(jail.parent))
    (jail / "model.xml").write_text(
        f"""<mujoco><compiler {attribute}="{folder}"/><asset><mesh file="secret.obj"/></asset>
        </mujoco>"""
    )
    with watching(jail), pytest.raises(InvalidMechanism, match=r"model\.xml:1: expected"):
        load_mjcf(jail / "model.xml")


def test_missing_meshes_do_not_open_the_jail(jail: Path) -> None:
    (jail / "model.xml").write_text(PLACES["mesh"].format(form="../secret.obj"))
    with watching(jail), pytest.raises(InvalidMechanism, match="leaves it"):
        load_mjcf(jail / "model.xml", missing_meshes=True)


def test_text_names_no_files(jail: Path) -> None:
    for text in PLACES.values():
        with watching(jail), pytest.raises(InvalidMechanism, match="give root="):
            load_mjcf(text.format(form="a.obj"))


def test_images_are_never_opened(jail: Path) -> None:
    (jail / "model.xml").write_text(
        f"""<mujoco><asset><texture name="t" file="/etc/passwd"/><skin file="../a.skn"/>
        <texture name="c" type="cube" fileright="{jail}/../secret.png"/>
        <hfield file="../h.png" size="1 1 1 1"/></asset></mujoco>"""
    )
    with watching(jail) as found:
        load_mjcf(jail / "model.xml")
    assert [os.path.basename(p) for p in found] == ["model.xml"]


def test_the_compiler_gets_bytes_only(jail: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (jail / "mesh.obj").write_text("mtllib ../secret.mtl\n" + TETRAHEDRON)
    (jail / "part.xml").write_text(
        "<x><body name='b'><joint/><geom type='mesh' mesh='mesh'/></body></x>"
    )
    (jail / "model.xml").write_text(
        """<mujoco><asset><mesh file="sub/../mesh.obj"/></asset>
        <worldbody><include file="part.xml"/></worldbody></mujoco>"""
    )
    # files in the current folder named like what we hand over must not be taken instead
    (jail / "0_mesh.obj").write_text(TETRAHEDRON.replace("1 0 0", "9 0 0"))
    monkeypatch.chdir(jail)
    given: list[Any] = []

    class Spy:
        @staticmethod
        def from_xml_string(text: str, assets: dict[str, bytes]) -> Any:
            given.append((text, assets))
            return real.from_xml_string(text, assets)

    real = mujoco.MjModel
    monkeypatch.setattr(mujoco, "MjModel", Spy)
    with watching(jail):
        arm = load_mjcf("model.xml")
    text, assets = given[-1]
    assert float(arm.link("b").inertia.m) == pytest.approx(1000 / 6)
    assert 'file="0_mesh.obj"' in text
    assert text.count("file=") == 1
    assert "include" not in text
    assert {key: b"mtllib" in data for key, data in assets.items()} == {"0_mesh.obj": False}


def test_root_may_be_wider(jail: Path) -> None:
    (jail / "sub" / "model.xml").write_text(PLACES["mesh"].format(form="../../secret.obj"))
    assert load_mjcf(jail / "sub" / "model.xml", root=jail.parent).nv == 0
    with pytest.raises(InvalidMechanism, match="expected the model below root"):
        load_mjcf(jail / "sub" / "model.xml", root=jail.parent / "outside")


LAUGHS = "<!DOCTYPE mujoco [" + "".join(
    f"<!ENTITY a{k} '{'&a' + str(k - 1) + ';' * (k > 0)}'>" for k in range(9)
)
BOMBS = {
    "entities": LAUGHS + "]><mujoco/>",
    "external entity": '<!DOCTYPE m [<!ENTITY x SYSTEM "file:///etc/passwd">]><mujoco>&x;</mujoco>',
    "depth": "<mujoco>" + "<body>" * 100_000,
    "elements": "<mujoco><worldbody>" + "<body/>" * 300_000 + "</worldbody></mujoco>",
    "bodies": "<mujoco><worldbody>"
    + '<body><joint/><geom size="1"/></body>' * 30_000
    + "</worldbody></mujoco>",
    "replicated bodies": hinge(
        '<replicate count="30000"><body><geom size="1"/></body></replicate>'
    ),
    "a cable of bodies": hinge(
        '<composite type="cable" count="30000 1 1"><geom size="1"/></composite>'
    ),
    "long name": f"<mujoco model='{'x' * 5_000_000}'/>",
    "replicate": hinge('<replicate count="1000000000"><geom size="1"/></replicate>'),
    "replicate of 1e9": hinge('<replicate count="1e9"><geom size="1"/></replicate>'),
    "replicates inside each other": hinge(
        '<replicate count="100">' * 5 + '<geom size="1"/>' + "</replicate>" * 5
    ),
    "composite": hinge(
        '<composite type="cable" count="100000000 1 1"><geom size="1"/></composite>'
    ),
    "flexcomp": hinge('<flexcomp type="grid" name="f" count="1000 1000 1000"/>'),
    "cells": hinge('<flexcomp type="grid" name="f" count="2 2 2" cellcount="9999 9999 9999"/>'),
    "user data": hinge(option='<size nuser_body="1000000000"/>'),
    "keys": hinge(option='<size nkey="1000000000"/>'),
    "numeric": hinge(outside='<custom><numeric name="n" size="1000000000"/></custom>'),
    "delay": hinge(
        outside='<actuator><motor joint="j" delay="1" nsample="1000000000"/></actuator>'
    ),
    "built-in mesh": hinge(
        outside='<asset><mesh name="m" builtin="supersphere" params="100000 1 1"/></asset>'
    ),
    "not a number": hinge('<replicate count="nan"><geom size="1"/></replicate>'),
}
HARMLESS = {
    "memory": hinge(option='<size memory="500G"/>'),
    "stack": hinge(option='<size nstack="100000000000"/>'),
    "texture": hinge(
        outside="""<asset><texture name="t" builtin="checker" width="1000000" height="1000000"/>
        </asset>"""
    ),
    "height field": hinge(
        outside='<asset><hfield name="h" nrow="1000000" ncol="1000000" size="1 1 1 1"/></asset>'
    ),
    "muscle": hinge(
        option='<compiler><lengthrange inttotal="1e12" timestep="1e-9"/></compiler>',
        outside='<actuator><muscle joint="j"/></actuator>',
    ),
}


@pytest.mark.parametrize("case", BOMBS)
def test_bombs_are_refused_at_once(case: str, figures: Figures) -> None:
    """G3."""
    figures.count("bombs refused")
    refused_at_once(InvalidMechanism, lambda: load_mjcf(BOMBS[case]))


@pytest.mark.parametrize("case", HARMLESS)
def test_what_only_simulation_needs_costs_nothing(case: str) -> None:
    assert at_once(lambda: load_mjcf(HARMLESS[case])).nv == 1


def test_attached_models_do_not_multiply(tmp_path: Path) -> None:
    bodies = '<replicate count="999"><body><geom size="1"/></body></replicate>'
    (tmp_path / "b.xml").write_text(
        f"<mujoco><worldbody><body name='b'>{bodies}</body></worldbody></mujoco>"
    )
    attach = "".join(f'<attach model="b" body="b" prefix="p{k}"/>' for k in range(100))
    (tmp_path / "a.xml").write_text(
        f"""<mujoco><asset><model name="b" file="b.xml"/></asset>
        <worldbody><body>{attach}</body></worldbody></mujoco>"""
    )
    with pytest.raises(InvalidMechanism, match="after copying"):
        load_mjcf(tmp_path / "a.xml")
    (tmp_path / "c.xml").write_text(
        '<mujoco><asset><model name="a" file="a.xml"/></asset></mujoco>'
    )
    with pytest.raises(InvalidMechanism, match="without models of their own"):
        load_mjcf(tmp_path / "c.xml")


@pytest.mark.parametrize("data", [b"", b"hello", b"\0" * 80 + b"\xff\xff\xff\x7f", b"\0" * 84])
def test_broken_meshes_are_refused(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "m.stl").write_bytes(data)
    (tmp_path / "a.xml").write_text(PLACES["mesh"].format(form="m.stl"))
    with pytest.raises(InvalidMechanism, match=r"m\.stl"):
        load_mjcf(tmp_path / "a.xml")


def test_names_are_only_names() -> None:
    for name in ("../../x", "__import__('os')", "a{0.__class__}", "\u202e", "x" * 900):
        text = hinge().replace('name="j"', f'name="{name}"')
        assert load_mjcf(text).joints[0].name == name


@pytest.mark.parametrize("attribute", ["name", "class", "actuatorgravcomp"])
def test_what_mujoco_would_print_as_a_format_is_refused(attribute: str) -> None:
    text = f"""<mujoco><worldbody><body><joint {attribute}="%s%n"/><geom size="1"/></body>
      </worldbody><custom><text name="t" data="100 %"/></custom></mujoco>"""
    with pytest.raises(InvalidMechanism, match="without %, which MuJoCo misreads: rename it"):
        load_mjcf(text)
    # nothing refers to it, and a mechanism does not carry it
    assert load_mjcf(text.replace(f'{attribute}="%s%n"', "")).nv == 1


def test_a_file_may_have_any_name(tmp_path: Path) -> None:
    (tmp_path / "50%s.obj").write_text(TETRAHEDRON)
    (tmp_path / "a.xml").write_text(
        """<mujoco><asset><mesh name="m" file="50%s.obj"/></asset><worldbody><body><joint/>
        <geom type="mesh" mesh="m"/></body></worldbody></mujoco>"""
    )
    assert load_mjcf(tmp_path / "a.xml").nv == 1
