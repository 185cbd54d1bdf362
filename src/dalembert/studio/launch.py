"""Open an address in the browser that nobody else may read.

What a program is started with, every user of the machine can see. So the browser is started with
the name of a private file, which sends it on.
"""

from __future__ import annotations

import html
import shutil
import tempfile
import webbrowser
from pathlib import Path

from dalembert.files import write_whole

PAGE = """<!doctype html>
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url={url}">
<title>dalembert studio</title>
<a href="{url}">Open the studio</a>
"""


class Launch:
    """A private file that sends the browser to an address, until it is closed.

    Attributes:
        path: The file, which its owner alone may read, in a folder that he alone may enter.
    """

    def __init__(self, url: str) -> None:
        page = PAGE.format(url=html.escape(url)).encode()
        self.path = Path(tempfile.mkdtemp(prefix="dalembert-"), "studio.html")
        write_whole(self.path, page, mode=0o600, durable=False)

    def open(self) -> None:
        """Open the file in the browser."""
        webbrowser.open(self.path.as_uri())

    def close(self) -> None:
        """Delete the file."""
        shutil.rmtree(self.path.parent, ignore_errors=True)
