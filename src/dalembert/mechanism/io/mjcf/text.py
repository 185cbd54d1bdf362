"""One MJCF text for MuJoCo's compiler, rewritten from the model's elements.

The compiler opens nothing: meshes are handed over as bytes under names of our own. What has no part
in the dynamics (textures, skins, height fields, the search for muscle lengths) is replaced by the
least that compiles, and counts that would fill the memory are refused.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from dalembert.errors import InvalidMechanism
from dalembert.mechanism.io.mjcf.schema.check import faults
from dalembert.mechanism.io.mjcf.source import ModelSource
from dalembert.mechanism.io.xml.diagnosis import MAX_SHOWN
from dalembert.mechanism.io.xml.jail import read_limited
from dalembert.mechanism.io.xml.write import quoted
from dalembert.mechanism.io.xml.xml import Element

MAX_COPIES = 100_000
# the time of MuJoCo's compiler grows with the square of the bodies: these take seconds
MAX_BODIES = 5_000
MAX_MESH_BYTES = 256 << 20
# sizes of arrays by (element, attribute); "*" is any element, and sizes are multiplied
LIMITS = {
    ("*", "nsample"): 10_000,
    ("*", "cellcount"): 10_000,
    ("user", "dim"): 10_000,
    ("contact", "num"): 10_000,
    ("numeric", "size"): 10_000,
    **{
        ("size", f"nuser_{k}"): 1_000
        for k in ("body", "jnt", "geom", "site", "cam", "tendon", "actuator", "sensor")
    },
    ("size", "nuserdata"): 10_000,
    ("size", "nkey"): 10_000,
}
# points along one side of a mesh that MuJoCo makes: at most this squared
MAX_MESH_RESOLUTION = 500
SPACE_FOR_SIMULATION = {"memory", "nstack", "njmax", "nconmax"}
PLACEHOLDER = "0 0 0 {0} 0 0 0 {0} 0 0 0 {0}"


@dataclass
class ModelText:
    """The rewritten model: its text, the files it needs, and where each line came from.

    ``files`` are the names of mesh files as the model has them, by our own name for the asset or,
    where the file is missing, by the name of the mesh; ``turned`` are meshes that give a reference
    frame other than that of their file.
    """

    lines: list[str] = field(default_factory=list)
    places: list[str] = field(default_factory=list)
    assets: dict[str, bytes] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
    missing: list[str] = field(default_factory=list)
    files: dict[str, str] = field(default_factory=dict)
    turned: set[str] = field(default_factory=set)

    @property
    def text(self) -> str:
        return "\n".join(self.lines)

    def located(self, message: str) -> str:
        """Return a message of the compiler with our lines and names replaced by the file's."""

        def line(match: re.Match[str]) -> str:
            number = int(match[1]) - 1
            return f"{self.places[number]}" if 0 <= number < len(self.places) else match[0]

        message = re.sub(r"\bline (\d+)", line, " ".join(message.split()))
        for key, name in sorted(self.names.items(), key=lambda item: -len(item[0])):
            message = message.replace(key, name)
        return message


@dataclass(frozen=True)
class Folders:
    """What the compiler elements say about where files are."""

    mesh: str = ""
    strip: bool = False

    @classmethod
    def of(cls, root: Element) -> Folders:
        mesh, strip = "", False
        for compiler in root.all("compiler"):
            a = compiler.attributes
            # the specific one wins within an element, the later element wins over the earlier
            mesh = a.get("meshdir", a.get("assetdir", mesh))
            strip = a.get("strippath", str(strip).lower()) == "true"
        return cls(mesh, strip)


def rewrite(source: ModelSource, *, placeholder: float | None = None) -> ModelText:
    """Return the text for the compiler.

    ``placeholder`` is the size of the tetrahedron that stands for a missing mesh; without it a
    missing mesh is refused.
    """
    out = ModelText()
    _Writer(source, out, placeholder).model(source.tree())
    return out


class _Writer:
    def __init__(
        self, source: ModelSource, out: ModelText, placeholder: float | None, nested: bool = False
    ) -> None:
        self.source, self.out, self.placeholder, self.nested = source, out, placeholder, nested
        # elements and bodies of the largest model that may be attached
        self.largest, self.most_bodies = 1.0, 0.0
        self.faults: list[str] = []

    def model(self, root: Element) -> float:
        """Write the whole model and return how many elements it unfolds to."""
        self.folders = Folders.of(root)
        if not root.all("compiler"):
            root.children.append(Element("compiler", {}, root.line, 0))
        for compiler in root.all("compiler"):
            compiler.children = [c for c in compiler.children if c.tag != "lengthrange"]
            # MuJoCo would simulate to find how long muscles get: slow, and of no use here
            compiler.children.append(Element("lengthrange", {"mode": "none"}, root.line, 0))
        self.check_copies(root)
        self.write(root, "")
        if self.faults:
            raise InvalidMechanism("\n".join(self.faults))
        # once more, now that the sizes of attached models are known
        return self.check_copies(root)

    def check_copies(self, root: Element) -> float:
        copies = self.copies(root)
        if copies > MAX_COPIES:
            raise InvalidMechanism(
                f"{self.source.place(root)}: expected at most {MAX_COPIES} elements after copying, "
                f"got {copies:.3g}: lower the counts"
            )
        if (bodies := self.bodies(root)) > MAX_BODIES:
            raise InvalidMechanism(
                f"{self.source.place(root)}: expected at most {MAX_BODIES} bodies, got "
                f"{bodies:.6g}: load the robot without the scene around it"
            )
        return copies

    def write(self, element: Element, parent: str) -> None:
        attributes = self.attributes(element, parent)
        if attributes is None:
            return
        if len(self.faults) < MAX_SHOWN:
            place = self.source.place(element)
            self.faults += [f"{place}: {x}" for x in faults(element.tag, parent, attributes)]
        words = "".join(f' {key}="{quoted(value)}"' for key, value in attributes.items())
        end = "" if element.children else "/"
        self.out.lines.append(f"<{element.tag}{words}{end}>")
        self.out.places.append(self.source.place(element))
        for child in element.children:
            self.write(child, element.tag)
        if element.children:
            # on the line of the last child, so that lines stay start tags
            self.out.lines[-1] += f"</{element.tag}>"

    def attributes(self, element: Element, parent: str) -> dict[str, str] | None:
        """Return the attributes to write, or None to leave the element out."""
        self.check_sizes(element)
        change = REWRITTEN.get((parent, element.tag)) or REWRITTEN.get(("*", element.tag))
        if change is not None:
            return change(self, element)
        for key in element.attributes:
            if key.startswith("file"):
                raise InvalidMechanism(
                    f"{self.source.place(element)}: expected no {key}= in <{element.tag}>, got "
                    f"{element.attributes[key]!r}"
                )
        return element.attributes

    # ---- elements that are written differently

    def compiler(self, element: Element) -> dict[str, str]:
        return without(element, "meshdir", "assetdir", "texturedir", "strippath")

    def size(self, element: Element) -> dict[str, str]:
        return without(element, *SPACE_FOR_SIMULATION)

    def texture(self, element: Element) -> dict[str, str]:
        kept = {k: v for k, v in element.attributes.items() if k in ("name", "class", "type")}
        name = element.attributes.get("file")
        if name:
            kept.setdefault("name", stem(name))
        return {**kept, "builtin": "flat", "width": "1", "height": "1"}

    def height_field(self, element: Element) -> dict[str, str]:
        kept = {k: v for k, v in element.attributes.items() if k in ("name", "size")}
        kept.setdefault("name", stem(element.attributes.get("file", "")))
        return {**kept, "nrow": "2", "ncol": "2"}

    def skin(self, element: Element) -> None:
        return None

    def custom_text(self, element: Element) -> dict[str, str]:
        # a mechanism does not carry it
        return {**element.attributes, "data": "-"}

    def mesh(self, element: Element) -> dict[str, str]:
        name = element.attributes.get("file")
        if not name:
            return element.attributes
        key = self.asset(element, name)
        named = {"name": stem(name), **element.attributes}
        self.out.files[key or named["name"]] = self.wanted(name)
        if "refpos" in named or "refquat" in named:
            self.out.turned.add(named["name"])
        if key is not None:
            return {**named, "file": key}
        kept = {k: v for k, v in named.items() if k not in ("file", "content_type")}
        return {**kept, "vertex": PLACEHOLDER.format(self.placeholder)}

    def flexible(self, element: Element) -> dict[str, str]:
        name = element.attributes.get("file")
        if not name:
            return element.attributes
        key = self.asset(element, name, needed=True)
        assert key is not None
        return {**element.attributes, "file": key}

    def submodel(self, element: Element) -> dict[str, str]:
        name, where = element.attributes.get("file", ""), self.source.place(element)
        if self.nested:
            raise InvalidMechanism(
                f"{where}: expected attached models without models of their own, got {name!r}"
            )
        path = self.source.find(name, "", element) if name else None
        if path is None:
            raise InvalidMechanism(
                f"{where}: expected the file of a model, got {name!r}, which does not exist: put "
                f"it below {self.source.jail.root}"
            )
        source = self.source.submodel(path, name)
        out = self.out
        inner = ModelText(
            assets=out.assets,
            names=out.names,
            missing=out.missing,
            files=out.files,
            turned=out.turned,
        )
        writer = _Writer(source, inner, self.placeholder, nested=True)
        root = source.tree()
        self.largest = max(self.largest, writer.model(root))
        self.most_bodies = max(self.most_bodies, writer.bodies(root))
        key = self.keep(str(path), inner.text.encode())
        return {**without(element, "content_type"), "file": key}

    # ---- files

    def asset(self, element: Element, name: str, *, needed: bool = False) -> str | None:
        """Read the file of an asset; return its name for the compiler, None for a placeholder."""
        where = self.source.place(element)
        path = self.source.find(self.short(name), self.folders.mesh, element)
        if path is not None:
            data = read_limited(path, MAX_MESH_BYTES, where)
            kind = path.suffix + element.attributes.get("content_type", "")
            if "obj" in kind.lower():
                # it may name files of materials, which are of no use here
                data = re.sub(rb"(?m)^[ \t]*mtllib[^\r\n]*", b"", data)
            return self.keep(str(path), data)
        wanted = self.wanted(name)
        if needed or self.placeholder is None:
            raise InvalidMechanism(
                f"{where}: expected the file {wanted!r} of <{element.tag}>, got none below "
                f"{self.source.jail.root}: put it there, or, where the bodies give their "
                "<inertial>, load with missing_meshes=True"
            )
        self.out.missing.append(f"{where}: mesh {wanted!r} is missing; no motion depends on it")
        return None

    def short(self, name: str) -> str:
        return PurePosixPath(name.replace("\\", "/")).name if self.folders.strip else name

    def wanted(self, name: str) -> str:
        """Return the name of a file of an asset as seen from the model's folder."""
        return "/".join(filter(None, [self.folders.mesh.rstrip("/"), self.short(name)]))

    def keep(self, path: str, data: bytes) -> str:
        # MuJoCo may take a % for a format
        key = f"{len(self.out.assets)}_{PurePosixPath(path).name}".replace("%", "_")
        self.out.assets[key], self.out.names[key] = data, path
        return key

    # ---- sizes

    def check_sizes(self, element: Element) -> None:
        for key, text in element.attributes.items():
            if element.tag == "mesh" and key == "params":
                # resolutions stand beside angles and lengths
                limit, size = MAX_MESH_RESOLUTION, max(map(product, text.split()), default=0)
            else:
                limit = LIMITS.get((element.tag, key)) or LIMITS.get(("*", key))
                size = product(text)
            if limit is not None and size > limit:
                raise InvalidMechanism(
                    f"{self.source.place(element)}: expected {key}= of <{element.tag}> to be at "
                    f"most {limit}, got {text[:60]!r}"
                )

    def copies(self, element: Element) -> float:
        """Return how many elements this one unfolds to."""
        inside = 1 + sum(self.copies(child) for child in element.children)
        if element.tag == "attach":
            return inside + self.largest
        if element.tag in ("replicate", "composite", "flexcomp"):
            return inside * max(1.0, product(element.attributes.get("count", "1")))
        return inside

    def bodies(self, element: Element) -> float:
        """Return how many bodies this element unfolds to."""
        inside = (element.tag == "body") + sum(self.bodies(child) for child in element.children)
        count = max(1.0, product(element.attributes.get("count", "1")))
        if element.tag == "attach":
            return inside + self.most_bodies
        if element.tag in ("composite", "flexcomp"):
            return inside + count
        return inside * count if element.tag == "replicate" else inside


REWRITTEN: dict[tuple[str, str], Callable[[_Writer, Element], dict[str, str] | None]] = {
    ("mujoco", "compiler"): _Writer.compiler,
    ("mujoco", "size"): _Writer.size,
    ("asset", "texture"): _Writer.texture,
    ("asset", "hfield"): _Writer.height_field,
    ("asset", "skin"): _Writer.skin,
    ("deformable", "skin"): _Writer.skin,
    ("asset", "mesh"): _Writer.mesh,
    ("custom", "text"): _Writer.custom_text,
    ("asset", "model"): _Writer.submodel,
    ("*", "flexcomp"): _Writer.flexible,
}


def without(element: Element, *names: str) -> dict[str, str]:
    """Return the attributes but these."""
    return {k: v for k, v in element.attributes.items() if k not in names}


def stem(name: str) -> str:
    """Return the name that MuJoCo gives an asset after its file."""
    return PurePosixPath(name.replace("\\", "/")).stem


def product(text: str) -> float:
    """Return the product of the numbers that are greater than one; 1 where there are none."""
    total = 1.0
    for word in text.split()[:10]:
        try:
            total *= max(1.0, abs(float(word)))
        except ValueError:
            continue
    return math.inf if math.isnan(total) else total
