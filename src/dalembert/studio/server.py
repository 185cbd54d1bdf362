"""A viser server that only our own gate can reach."""

from __future__ import annotations

import contextlib
import io
import secrets
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from dalembert.errors import FileError, MissingDependency
from dalembert.studio.gate import HOST, SECRET_HEADER, Gate

if TYPE_CHECKING:
    import viser


class Server:
    """The web server of the studio, on the loopback address, behind a token.

    Attributes:
        viser: Scene and controls.
        gate: Port and token.
    """

    def __init__(self, name: str, port: int = 0) -> None:
        module = _viser()
        # viser prints a table of its addresses, which are not the ones to open
        with contextlib.redirect_stdout(io.StringIO()):
            self.viser: viser.ViserServer = module.ViserServer(
                host=HOST, port=0, label=name, verbose=False
            )
        self.gate = Gate(port)
        try:
            _guard(self.viser, self.gate.secret)
            # sharing would send the scene to a server of others
            self.viser.gui.configure_theme(
                control_width="large", show_logo=False, show_share_button=False
            )
            self.viser.gui.main_panel.dock_right()
            self.gate.open(self.viser.get_port())
        except OSError as error:
            self.close()
            message = f"expected a free port, got {port}: {error}: choose another or none"
            raise FileError(error.errno or 0, message) from None
        except BaseException:
            self.close()
            raise

    @property
    def url(self) -> str:
        """The address to open, with the token in it."""
        return self.gate.url

    @contextlib.contextmanager
    def picture(self) -> Iterator[None]:
        """Gather all that changes inside, and send it at once in one message to every browser."""
        with self.viser.atomic():
            yield
        # else viser waits for more
        self.viser.flush()

    def close(self) -> None:
        """Stop both servers."""
        self.gate.close()
        with contextlib.redirect_stdout(io.StringIO()):
            self.viser.stop()


def _guard(server: viser.ViserServer, secret: str) -> None:
    """Hang up on whoever comes to the port behind the gate by himself, before a word is said."""
    connections = server._websock_server

    async def check(client: Any) -> None:
        connection = connections._live_connections[client.client_id]
        given = connection.request.headers.get(SECRET_HEADER, "") if connection.request else ""
        if not secrets.compare_digest(given.encode(), secret.encode()):
            await connection.close(1008, "wrong token")

    # before those that viser has put there itself
    connections._client_connect_cb.insert(0, check)


def _viser() -> Any:
    try:
        import viser
    except ImportError:
        raise MissingDependency(
            'expected viser for the studio, got none: pip install "dalembert[view]"'
        ) from None
    return viser
