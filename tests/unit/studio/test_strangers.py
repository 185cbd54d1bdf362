"""Strangers at every port that the studio opens: refused before a word of theirs is heard."""

import contextlib
import os
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import closing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.errors import MissingDependency
from dalembert.studio.launch import Launch
from dalembert.studio.server import Server
from tests.cases import num_cases
from tests.figures import Figures
from tests.unit.studio.strangers import FRAME, garbage, requests, send, upgrade, version
from tests.unit.studio.waiting import until
from tools.browser import started, why_not

pytest.importorskip("viser", reason="viser serves the studio")

# threads of viser end after the test that started them
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")


@pytest.fixture
def server() -> Iterator[Server]:
    with closing(Server("arm")) as server:
        yield server


def heard(server: Server) -> list[str]:
    """Return the names of the messages that a server gets from now on."""
    names: list[str] = []
    connections: Any = server.viser._websock_server
    handle = connections._handle_incoming_message

    async def note(client: Any, message: Any) -> None:
        names.append(type(message).__name__)
        await handle(client, message)

    connections._handle_incoming_message = note
    return names


def test_strangers_are_refused_before_the_upgrade(
    server: Server,
    rng: np.random.Generator,
    scale: float,
    capfd: pytest.CaptureFixture[str],
    figures: Figures,
) -> None:
    names, port = heard(server), server.gate.port
    answers = [send(port, data) for data in requests(port)]
    assert [x.split(b"\r\n")[0] for x in answers] == [b"HTTP/1.1 403 Forbidden"] * len(answers)
    for data in garbage(port, rng, num_cases(100, scale)):
        answers.append(send(port, data))
        assert answers[-1] == b"" or answers[-1].startswith(b"HTTP/1.1 4"), (data, answers[-1])
    assert not server.gate.visited.is_set()
    assert names == []
    assert capfd.readouterr() == ("", "")
    figures.count("strangers refused", len(answers))


def test_who_knows_the_address_is_heard(server: Server) -> None:
    # else the test above would say nothing
    names, gate = heard(server), server.gate
    answer = send(gate.port, upgrade(gate.port, f"/{gate.token}"))
    assert answer.startswith(b"HTTP/1.1 101 ")
    until(lambda: names == ["ShareUrlRequest"])
    # from another page not even he
    for more in ("Origin: https://evil.example", "Host: 127.0.0.1", "Origin: null"):
        answer = send(gate.port, upgrade(gate.port, f"/{gate.token}", more))
        assert answer.startswith(b"HTTP/1.1 403 ")


def test_nothing_is_left_that_could_share(server: Server, monkeypatch: Any) -> None:
    import viser._viser

    made: list[object] = []
    monkeypatch.setattr(viser._viser, "ViserTunnel", lambda *given: made.append(given))
    connections: Any = server.viser._websock_server
    assert not [x for x in connections._incoming_handlers if "Share" in x.__name__]
    with pytest.raises(da.DalembertError, match="not shared"):
        server.viser.request_share_url()
    assert made == []


def test_a_viser_that_cannot_be_guarded_is_not_started(monkeypatch: Any) -> None:
    from viser.infra import WebsockServer

    started: list[object] = []
    monkeypatch.setattr(WebsockServer, "_background_worker", lambda self, _: started.append(self))
    with pytest.raises(MissingDependency, match=f"got {version()}"):
        Server("arm")
    assert started == []


def test_another_viser_in_the_same_process_stays_as_it_was(server: Server) -> None:
    import viser

    with closing_viser(viser.ViserServer("127.0.0.1", 0, verbose=False)) as other:
        with urllib.request.urlopen(f"http://127.0.0.1:{other.get_port()}/") as answer:
            assert answer.status == 200
        # without the frame: this server would open a tunnel
        data = upgrade(other.get_port()).removesuffix(FRAME)
        assert send(other.get_port(), data).startswith(b"HTTP/1.1 101 ")


@contextlib.contextmanager
def closing_viser(other: Any) -> Iterator[Any]:
    try:
        yield other
    finally:
        other.stop()


# what a process opens and shows, as Linux tells it
PROC = Path("/proc")
LISTENING = "0A"


def ports(pid: int) -> set[int]:
    """Return the TCP ports at which a process listens, and its UDP ports."""
    own = set()
    for handle in (PROC / str(pid) / "fd").iterdir():
        with contextlib.suppress(FileNotFoundError):
            own.add(os.readlink(handle))
    found = set()
    for kind in ("tcp", "tcp6", "udp", "udp6"):
        for line in (PROC / str(pid) / "net" / kind).read_text().splitlines()[1:]:
            words = line.split()
            if f"socket:[{words[9]}]" in own and (kind[0] == "u" or words[3] == LISTENING):
                found.add(int(words[1].rpartition(":")[2], 16))
    return found


def command_lines() -> list[str]:
    found = []
    for path in PROC.glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            found.append(path.read_bytes().decode(errors="replace"))
    return found


@pytest.mark.skipif(not (PROC / "self/net/tcp").exists(), reason="needs /proc of Linux")
def test_every_port_refuses_strangers_and_no_command_line_shows_the_token(tmp_path: Path) -> None:
    # a browser that notes what it is started with, and stays
    browser = tmp_path / "browser"
    seen = tmp_path / "seen"
    browser.write_text(f'#!/bin/sh\necho "$1" > {seen}.new\nmv {seen}.new {seen}\nexec sleep 20\n')
    browser.chmod(0o700)
    command = [sys.executable, "-m", "dalembert", "view", "ur5e"]
    # buffered, what it prints would come when it ends
    settings = {"BROWSER": f"{browser} %s &", "TMPDIR": str(tmp_path), "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(
        command, env={**os.environ, **settings}, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            url = next(x for x in process.stdout if "http://" in x).split()[-1]
            token = url.rstrip("/").rpartition("/")[2]
            until(seen.exists)
            assert len(token) == 32
            assert [x for x in command_lines() if token in x] == []
            # who may read the file that the browser was started with
            page = Path(seen.read_text().strip().removeprefix("file://"))
            assert url in page.read_text()
            assert (page.stat().st_mode & 0o777, page.parent.stat().st_mode & 0o777) == (
                0o600,
                0o700,
            )
            found = ports(process.pid)
            assert len(found) == 1
            for port in found:
                for data in requests(port):
                    assert send(port, data).startswith(b"HTTP/1.1 403 ")
            # and when the browser has come, it is gone
            assert page.exists()
            with urllib.request.urlopen(url) as answer:
                assert answer.status == 200
            until(lambda: not page.parent.exists())
        finally:
            process.kill()


class Evil(BaseHTTPRequestHandler):
    """A page of another origin that knocks in all ways that a page has."""

    port, token, protocol = 0, "", ""

    def do_GET(self) -> None:
        body = f"""<!doctype html><script>
        window.opened = 0; window.ended = 0; window.read = 0; window.tried = 0;
        const frame = new Uint8Array({list(FRAME[6:])});
        for (const path of ["/", "/guess/", "/{self.token}", "/{self.token}/"])
          for (const host of ["127.0.0.1", "localhost"])
            for (const protocols of [[], ["{self.protocol}"]]) {{
              window.tried += 1;
              const s = new WebSocket(`ws://${{host}}:{self.port}${{path}}`, protocols);
              s.onopen = () => {{ window.opened += 1; s.send(frame); }};
              s.onclose = () => {{ window.ended += 1; }};
            }}
        for (const path of ["/", "/{self.token}/"]) {{
          window.tried += 1;
          fetch(`http://127.0.0.1:{self.port}${{path}}`)
            .then(x => x.text()).then(() => {{ window.read += 1; }})
            .finally(() => {{ window.ended += 1; }}).catch(() => {{}});
        }}
        </script>""".encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    if missing := why_not():
        pytest.skip(missing)
    with started() as running:
        yield running


def test_a_page_of_another_origin_opens_no_socket(server: Server, browser: Any) -> None:
    names = heard(server)
    told = {"port": server.gate.port, "token": server.gate.token}
    handler = type("Told", (Evil,), {**told, "protocol": f"viser-v{version()}"})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as evil:
        Thread(target=evil.serve_forever, daemon=True).start()
        page = browser.new_page()
        page.goto(f"http://localhost:{evil.server_port}/")
        page.wait_for_function("window.ended === window.tried", timeout=60_000)
        assert page.evaluate("[window.tried, window.opened, window.read]") == [18, 0, 0]
        page.close()
        evil.shutdown()
    assert names == []
    assert not server.gate.visited.is_set()


def test_the_private_file_leads_a_browser_in(server: Server, browser: Any) -> None:
    with closing(Launch(server.url)) as launch:
        page = browser.new_page()
        page.goto(launch.path.as_uri())
        until(lambda: bool(server.viser.get_clients()))
        page.wait_for_url(server.url)
        page.close()
    assert not launch.path.parent.exists()
