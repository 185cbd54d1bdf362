"""The door of the studio: the right token and nothing else, on the loopback address alone."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from dalembert.studio.gate import SECRET_HEADER, Gate


class Behind:
    """A server that writes down what it is sent and answers every request with one word."""

    def __init__(self) -> None:
        self.heard: list[bytes] = []
        self.socket = socket.create_server(("127.0.0.1", 0))
        threading.Thread(target=self._serve, daemon=True).start()

    @property
    def port(self) -> int:
        return self.socket.getsockname()[1]

    def _serve(self) -> None:
        while True:
            try:
                visitor, _ = self.socket.accept()
            except OSError:
                return
            with visitor:
                self.heard.append(visitor.recv(65536))
                visitor.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nrobo")


@contextmanager
def opened() -> Iterator[tuple[Gate, Behind]]:
    behind, gate = Behind(), Gate()
    gate.open(behind.port)
    try:
        yield gate, behind
    finally:
        gate.close()
        behind.socket.close()


def ask(gate: Gate, path: str = "/", **headers: str) -> bytes:
    """Return the answer to a request; headers with underscores for dashes."""
    lines = {"Host": f"127.0.0.1:{gate.port}"} | {
        k.replace("_", "-"): v for k, v in headers.items()
    }
    text = "\r\n".join([f"GET {path} HTTP/1.1", *(f"{k}: {v}" for k, v in lines.items()), "", ""])
    return send(gate, text.encode())


def send(gate: Gate, data: bytes) -> bytes:
    with socket.create_connection(("127.0.0.1", gate.port), timeout=20) as visitor:
        visitor.sendall(data)
        answer = b""
        while part := visitor.recv(65536):
            answer += part
    return answer


def cookie(gate: Gate, token: str | None = None) -> str:
    return f"dalembert_{gate.port}={gate.token if token is None else token}"


def test_the_token_becomes_a_cookie_that_opens_the_door() -> None:
    with opened() as (gate, behind):
        first = ask(gate, f"/?token={gate.token}").decode()
        assert first.startswith("HTTP/1.1 303 See Other\r\n")
        assert f"Set-Cookie: {cookie(gate)}; Path=/; HttpOnly; SameSite=Strict" in first
        assert behind.heard == []
        assert ask(gate, Cookie=cookie(gate)).endswith(b"robo")
        assert f"{SECRET_HEADER}: {gate.secret}".encode() in behind.heard[0]
        assert b"Connection: close" in behind.heard[0]


@pytest.mark.parametrize(
    "wrong",
    [
        {},
        {"path": "/?token="},
        {"path": "/?token=guess"},
        {"path": "/?token=%00"},
        {"path": "/?tok=x", "Cookie": "dalembert_1=x"},
        {"Cookie": "{}"},
        {"Cookie": '=;=;;"\\"'},
    ],
)
def test_without_the_token_nothing_passes(wrong: dict[str, str]) -> None:
    with opened() as (gate, behind):
        wrong = {k: v.replace("{}", cookie(gate, "guess")) for k, v in wrong.items()}
        assert ask(gate, **wrong).startswith(b"HTTP/1.1 403 ")
        assert behind.heard == []


def test_other_names_and_other_pages_do_not_pass() -> None:
    with opened() as (gate, behind):
        right = {"Cookie": cookie(gate)}
        for strange in ({"Host": "evil.example"}, {"Host": ""}, {"Origin": "https://evil.example"}):
            assert ask(gate, **(right | strange)).startswith(b"HTTP/1.1 403 ")
        assert behind.heard == []
        own = f"http://127.0.0.1:{gate.port}"
        assert ask(gate, **right, Origin=own).endswith(b"robo")


def test_a_visitor_cannot_bring_the_secret_himself() -> None:
    with opened() as (gate, behind):
        ask(gate, Cookie=cookie(gate), **{SECRET_HEADER.replace("-", "_"): "forged"})
        assert b"forged" not in behind.heard[0]


@pytest.mark.parametrize("garbage", [b"\r\n\r\n", b"\xff" * 10 + b"\r\n\r\n", b"GET\r\n\r\n"])
def test_garbage_is_refused(garbage: bytes) -> None:
    with opened() as (gate, behind):
        assert send(gate, garbage).startswith(b"HTTP/1.1 403 ")
        assert behind.heard == []


def test_a_head_without_end_is_dropped() -> None:
    with opened() as (gate, behind):
        assert send(gate, b"GET / HTTP/1.1\r\n" + b"a: b\r\n" * 20_000) == b""
        assert behind.heard == []


def test_two_gates_have_two_tokens_and_a_taken_port_is_said() -> None:
    with opened() as (gate, _), opened() as (other, _):
        assert gate.token != other.token
        assert gate.port != other.port
        with pytest.raises(OSError, match="in use"):
            Gate(gate.port).open(1)


def own_address() -> str | None:
    """Return an address of this machine that others could use; nothing is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.77", 9))
        except OSError:
            return None
        return probe.getsockname()[0]


def test_only_the_loopback_address_listens() -> None:
    address = own_address()
    if address is None or address.startswith("127."):
        pytest.skip("this machine has no other address")
    with opened() as (gate, _):
        assert ask(gate).startswith(b"HTTP/1.1 403 ")
        with pytest.raises(OSError, match="refused"):
            socket.create_connection((address, gate.port), timeout=5).close()
