"""Ctrl-C keeps what was computed until then."""

import json
from pathlib import Path

import pytest
import typer

import dalembert as da
from dalembert.cli.command import Parts, command
from dalembert.cli.output import Part
from dalembert.report.build import SECTIONS
from dalembert.simulation.run import Run

PENDULUM = 'coordinates = ["a"]\nT = "a.dot^2/2"\nV = "-cos(a)"\n[start]\nq = [1]\n'


def test_parts_before_ctrl_c_are_printed(capsys: pytest.CaptureFixture[str]) -> None:
    @command
    def work() -> Parts:
        yield Part("first", 1, "one")
        raise KeyboardInterrupt

    for options, out in ({}, "one\n"), ({"as_json": True}, None):
        with pytest.raises(typer.Exit) as ended:
            work(**options)
        assert ended.value.exit_code == 130
        printed = capsys.readouterr()
        assert "interrupted" in printed.err
        if out is None:
            assert json.loads(printed.out) == {"first": 1, "interrupted": True}
        else:
            assert printed.out == out


def test_a_simulation_keeps_its_motion(answer, tmp_path: Path, monkeypatch) -> None:
    system, out = tmp_path / "a.toml", tmp_path / "a.csv"
    system.write_text(PENDULUM)
    advance, taken = Run._advance, []

    def interrupted(run: Run, target: float) -> object:
        taken.append(target)
        if len(taken) == 20:
            raise KeyboardInterrupt
        return advance(run, target)

    # step by step, so that the interruption comes between two of them
    monkeypatch.setattr(Run, "_steps_ahead", lambda run, target: None)
    monkeypatch.setattr(Run, "_advance", interrupted)
    status, data = answer("simulate", system, "-t", 1000, "-o", out)
    assert status == 1
    assert "interrupted" in data["status"]
    assert 0 < data["final"]["t"] < 1000
    assert da.Trajectory.load(out).t[-1] == data["final"]["t"]


def test_a_report_keeps_its_sections(answer, tmp_path: Path, monkeypatch) -> None:
    def interrupted(subject: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setitem(SECTIONS, "Proofs", interrupted)
    path = tmp_path / "particle.html"
    status, data = answer("report", "particle", "-o", path)
    assert (status, data["written"]) == (1, str(path))
    page = path.read_text(encoding="utf-8")
    assert "Equations of motion</h2>" in page
    assert "Left out: Proofs, Singularities" in page
