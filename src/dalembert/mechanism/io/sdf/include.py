"""Models that an SDF file includes: below given folders, or refused."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from dalembert.errors import DalembertError
from dalembert.mechanism.io.meshes import Finder, folder_below
from dalembert.mechanism.io.sdf.values import child_text
from dalembert.mechanism.io.xml.diagnosis import Report, shown
from dalembert.mechanism.io.xml.source import Source, is_text, read_text
from dalembert.mechanism.io.xml.xml import Element, parse_xml

MAX_FILES = 50


class Includes:
    """Opens included models, each file below ``root`` or the folder of its package."""

    def __init__(
        self,
        source: Source,
        root: str | os.PathLike[str] | None,
        packages: Mapping[str, str | os.PathLike[str]] | None,
    ) -> None:
        top, below = root, ""
        if not is_text(source) and root is not None:
            top, below = folder_below(source, root)
        self.finder = Finder(top, below, packages or {})
        self.is_open = root is not None or packages is not None
        self.count = 0

    def model(self, report: Report, include: Element) -> list[Element]:
        """Return the model that an <include> names, with the name and pose that it gives."""
        uri = child_text(report, include, "uri", "")
        if uri is None:
            report.error(include, "", "expected a <uri> in <include>, got none", "add it")
            return []
        if not self.is_open:
            message = f"expected a model in one file, got the included {shown(uri)}"
            remedy = "give packages={name: folder} for model://name, or root= for plain paths"
            report.error(include, "", message, remedy)
            return []
        self.count += 1
        if self.count > MAX_FILES:
            message = f"expected at most {MAX_FILES} included models, got more"
            report.error(include, "", message, "a robot does not need that")
            return []
        try:
            path = self._path(uri)
        except DalembertError as error:
            report.error(include, "", str(error), "")
            return []
        if path is None:
            report.error(include, "", f"expected a model, got {shown(uri)}, which is not there", "")
            return []
        return self._parsed(report, include, path)

    def _path(self, uri: str) -> Path | None:
        if uri.lower().endswith((".sdf", ".xml")):
            return self.finder.find(uri)
        return self.finder.find(f"{uri.rstrip('/')}/model.sdf")

    def _parsed(self, report: Report, include: Element, path: Path) -> list[Element]:
        inner = Report(str(path))
        text = read_text(path, inner)
        sdf = parse_xml(text, inner) if text is not None else None
        models = sdf.all("model") if sdf is not None and sdf.tag == "sdf" else []
        if len(models) != 1:
            report.diagnoses += inner.diagnoses
            message = f"expected one <model> in {path.name}, got {len(models)}"
            report.error(include, "", message, "")
            return []
        model = models[0]
        for key in ("merge",):
            if include.attributes.get(key, "false").lower() in ("true", "1"):
                message = f"expected an <include> without {key}, got one"
                report.error(include, "", message, "write the model in this file", key)
        name = child_text(report, include, "name", "") if include.all("name") else None
        if name:
            model.attributes["name"] = name
        for tag in ("pose", "static"):
            if given := include.all(tag):
                model.children = [x for x in model.children if x.tag != tag] + given
        if include.all("placement_frame"):
            frame = child_text(report, include, "placement_frame", "")
            model.attributes["placement_frame"] = frame or ""
        return [model]
