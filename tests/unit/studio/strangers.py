"""Those who have not been given the address, by raw sockets: what they send, what they get."""

import socket
from collections.abc import Iterator

import numpy as np

# {"type": "ShareUrlRequest"} as a browser would send it: binary, one frame, masked by zeros
SHARE = b"\x81\xa4type\xafShareUrlRequest"
FRAME = bytes([0x82, 0x80 | len(SHARE)]) + bytes(4) + SHARE


def send(port: int, data: bytes) -> bytes:
    """Return what comes back: all of it, unless a WebSocket is opened."""
    with socket.create_connection(("127.0.0.1", port), timeout=60) as visitor:
        answer = b""
        try:
            visitor.sendall(data)
            while not answer.startswith(b"HTTP/1.1 101") and (part := visitor.recv(65536)):
                answer += part
        except ConnectionError:
            # whoever is refused before he has spoken hears nothing
            pass
    return answer


def upgrade(port: int, path: str = "/", *more: str, host: str | None = None) -> bytes:
    """Return a request to open a WebSocket, with a request for a public address right behind it."""
    lines = [
        f"GET {path} HTTP/1.1",
        f"Host: {host or f'127.0.0.1:{port}'}",
        "Upgrade: websocket",
        "Connection: Upgrade",
        "Sec-WebSocket-Version: 13",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
        f"Sec-WebSocket-Protocol: viser-v{version()}",
        *more,
    ]
    return "\r\n".join([*lines, "", ""]).encode("latin-1") + FRAME


def version() -> str:
    import viser

    return viser.__version__


def requests(port: int) -> Iterator[bytes]:
    """Yield well-formed requests of somebody without the token; each must be refused by 403."""
    own = f"http://127.0.0.1:{port}"
    yield upgrade(port)
    yield upgrade(port, "/", f"Origin: {own}")
    yield upgrade(port, "/", "Origin: https://evil.example")
    yield upgrade(port, "/", f"Cookie: dalembert_{port}=guess", "X-Dalembert-Studio: guess")
    yield upgrade(port, "/guess/")
    yield upgrade(port, "/?token=guess")
    yield upgrade(port, "http://[x")
    yield upgrade(port, f"{own}/")
    yield upgrade(port, "/", host="evil.example")
    yield upgrade(port, "/", "Host: evil.example")
    yield upgrade(port, "/", f"Host: 127.0.0.1:{port}")
    for target in ("/", "//", "/index.html", "/../..", "/%2e%2e/", "http://[x", "*", "/?a"):
        yield f"GET {target} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode()


def garbage(port: int, rng: np.random.Generator, num: int) -> Iterator[bytes]:
    """Yield what is no request, or hardly one; each ends as a request ends."""
    end = b"\r\n\r\n"
    yield from (end, b"GET" + end, b"\x16\x03\x01\x00\xa5\x01" + bytes(160) + end)
    yield b"GET / HTTP/1.1\r\n" + b"a: b\r\n" * 2_000 + end
    yield b"GET /" + b"a" * 100_000 + end
    for method in (b"HEAD", b"POST", b"PUT", b"OPTIONS", b"CONNECT", b"PRI"):
        yield method + b" / HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nContent-Length: 0" % port + end
    good = upgrade(port)
    for _ in range(num):
        data = bytearray(good)
        for _ in range(rng.integers(1, 9)):
            k = int(rng.integers(len(data)))
            data[k : k + int(rng.integers(4))] = rng.bytes(int(rng.integers(4)))
        yield bytes(data) + end
