"""The web server of the studio: viser's, behind our own gate."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Iterator

from dalembert.errors import FileError
from dalembert.studio.gate import Gate
from dalembert.studio.guarded import guarded


class Server:
    """The web server of the studio, on the loopback address, behind a token.

    Attributes:
        viser: Scene and controls.
        gate: Port and token.
    """

    def __init__(self, name: str, port: int = 0) -> None:
        try:
            self.gate = Gate(port)
        except OSError as error:
            message = f"expected a free port, got {port}: {error}: choose another or none"
            raise FileError(error.errno or 0, message) from None
        try:
            # viser prints a table of its addresses, which are not the ones to open
            with contextlib.redirect_stdout(io.StringIO()):
                self.viser = guarded(name, self.gate)
        except BaseException:
            self.gate.close()
            raise
        self.viser.gui.configure_theme(
            control_width="large", show_logo=False, show_share_button=False
        )
        self.viser.gui.main_panel.dock_right()

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
        """Stop, and give the port back."""
        with contextlib.redirect_stdout(io.StringIO()):
            self.viser.stop()
        self.gate.close()
