"""Record the motion that is played: as a page, a GIF or a film."""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING, Any

from dalembert.errors import DalembertError
from dalembert.studio import record

if TYPE_CHECKING:
    import viser

    from dalembert.studio.player import Player
    from dalembert.studio.state import State


class RecordPanel:
    """A button for each kind of file; the browser saves it."""

    def __init__(self, server: viser.ViserServer, state: State, player: Player) -> None:
        self.server, self.state, self.player = server, state, player
        self._lock = Lock()
        gui = server.gui
        with gui.add_folder("Record"):
            for kind in ("html", "gif", "mp4"):
                button = gui.add_button(f"Save as {kind.upper()}")
                button.on_click(lambda event, kind=kind: self._save(kind, event.client))
            self._said = gui.add_markdown("")

    def _save(self, kind: str, client: Any) -> None:
        motion = self.player.motion
        if motion is None or client is None:
            self._said.content = "There is no motion yet: simulate one, or go on with one."
            return
        # one at a time: they share the picture
        if not self._lock.acquire(blocking=False):
            return
        try:
            self.player.pause(True)
            self._said.content = "recording …"
            content = self._content(kind, client, motion)
            client.send_file_download(f"motion.{kind}", content, save_immediately=True)
            self._said.content = "saved"
        except (DalembertError, OSError) as error:
            self._said.content = str(error).replace("<", "&lt;")
        finally:
            self._lock.release()

    def _content(self, kind: str, client: Any, motion: Any) -> bytes:
        if kind == "html":
            return record.page(self.server, self.state, motion).encode()
        frames = list(record.pictures(client, self.state, motion))
        return record.gif(frames) if kind == "gif" else record.mp4(frames)
