"""The door of the studio: the right token and nothing else, on the loopback address alone."""

import socket
from collections.abc import Iterator
from contextlib import closing, contextmanager

import pytest

from dalembert.studio.gate import Gate


@contextmanager
def opened(port: int = 0) -> Iterator[Gate]:
    with closing(Gate(port)) as gate:
        yield gate


def asked(gate: Gate, target: str, *, host: str | None = None, origin: str | None = None):
    hosts = [f"127.0.0.1:{gate.port}" if host is None else host]
    return gate.inside(target, hosts, [] if origin is None else [origin])


def test_the_token_opens_the_door_and_is_not_handed_on() -> None:
    with opened() as gate:
        assert gate.url == f"http://127.0.0.1:{gate.port}/{gate.token}/"
        assert not gate.visited.is_set()
        assert asked(gate, "/") is None
        assert not gate.visited.is_set()
        assert asked(gate, f"/{gate.token}") == "/"
        assert gate.visited.is_set()
        assert asked(gate, f"/{gate.token}/") == "/"
        assert asked(gate, f"/{gate.token}/a/b?c=d") == "/a/b"
        assert asked(gate, f"/{gate.token}/", host=f"localhost:{gate.port}") == "/"
        assert asked(gate, f"/{gate.token}/", origin=f"http://127.0.0.1:{gate.port}") == "/"


@pytest.mark.parametrize(
    "target",
    [
        *("", "/", "//", "/guess/", "/?token={}", "/a/{}/", "{}", "{}/", "//{}/", "/{}x/", "/x{}/"),
        *("http://[x", "http://127.0.0.1/{}/", "*", "/%00/", "/\x00/", "/\udcff\ud800/", "/{}%2f/"),
    ],
)
def test_without_the_token_nothing_passes(target: str) -> None:
    with opened() as gate:
        assert asked(gate, target.replace("{}", gate.token)) is None
        assert not gate.visited.is_set()


def test_a_token_in_other_letters_does_not_pass() -> None:
    with opened() as gate:
        assert asked(gate, f"/{gate.token.swapcase()}/") is None


@pytest.mark.parametrize("hosts", [(), ("evil.example",), ("",), ("{}", "{}"), ("evil", "{}")])
def test_other_names_and_two_names_do_not_pass(hosts: tuple[str, ...]) -> None:
    with opened() as gate:
        names = [x.replace("{}", f"127.0.0.1:{gate.port}") for x in hosts]
        assert gate.inside(f"/{gate.token}/", names, []) is None


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "", "http://127.0.0.1:1"])
def test_pages_of_other_sites_do_not_pass_even_with_the_token(origin: str) -> None:
    with opened() as gate:
        assert asked(gate, f"/{gate.token}/", origin=origin) is None
        own = f"http://127.0.0.1:{gate.port}"
        assert gate.inside(f"/{gate.token}/", [own[7:]], [own, origin]) is None


def test_two_gates_have_two_tokens_and_a_taken_port_is_said() -> None:
    with opened() as gate, opened() as other:
        assert gate.token != other.token
        assert gate.port != other.port
        with pytest.raises(OSError, match="in use"):
            Gate(gate.port)


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
    with opened() as gate:
        socket.create_connection(("127.0.0.1", gate.port), timeout=5).close()
        with pytest.raises(OSError, match="refused"):
            socket.create_connection((address, gate.port), timeout=5).close()
