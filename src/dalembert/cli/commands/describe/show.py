"""`dalembert show`: links, joints, parameters and degrees of freedom."""

from dalembert.cli.command import Parts, command
from dalembert.cli.find import find
from dalembert.cli.options import Allow, File
from dalembert.cli.output import Part, Table, number
from dalembert.expr import Expr, symbol_text
from dalembert.mechanics import System
from dalembert.mechanics.kinds import by_kind
from dalembert.mechanism import Joint, Mechanism

MAX_PARAMETERS = 60


@command
def show(file: File, allow: Allow = None) -> Parts:
    """Show the tree of links, the joints with their limits, and the parameters."""
    subject = find(file, allow)
    yield Part("name", subject.name)
    description = subject.description
    yield from by_kind(description, "to show", mechanism=_mechanism, system=_system)
    names = [symbol_text(x) for x in description.parameters]
    shown = ", ".join(names[:MAX_PARAMETERS]) + ", …" * (len(names) > MAX_PARAMETERS)
    yield Part("parameters", names, f"parameters: {shown or 'none, all numbers are given'}")
    if subject.values:
        values = {symbol_text(x): _value(value) for x, value in subject.values.items()}
        text = ", ".join(f"{name} = {value}" for name, value in values.items())
        yield Part("values", values, f"values: {text}")


def _mechanism(mechanism: Mechanism) -> Parts:
    freedom = mechanism.degrees_of_freedom
    yield Part("degrees_of_freedom", freedom, _tree(mechanism))
    joints = [joint for joint in mechanism.joints if joint.nv or joint.mimic]
    rows = [
        (x.name, x.kind.value, f"{x.parent} → {x.child}", _limits(x), _vector(x.axis))
        for x in joints
    ]
    data = [
        {
            "name": x.name,
            "kind": x.kind.value,
            "parent": x.parent,
            "child": x.child,
            "axis": [_value(a) for a in x.axis],
            "lower": number(x.limits.lower),
            "upper": number(x.limits.upper),
            "mimics": x.mimic.joint if x.mimic else None,
        }
        for x in joints
    ]
    yield Part("joints", data, Table(("joint", "kind", "links", "limits", "axis"), rows))
    links = [{"name": x.name, "mass": _value(x.inertia.m)} for x in mechanism.links]
    yield Part("links", links)
    mass = _value(mechanism.total_mass)
    shown = mass if isinstance(mass, str) else f"{mass:.6g}"
    yield Part("total_mass", mass, f"mass: {shown} kg")
    for kind in ("frames", "loops", "couplings", "actuators", "springs"):
        names = [part.name for part in getattr(mechanism, kind)]
        yield Part(kind, names, f"{kind}: {', '.join(names)}" if names else None)
    yield Part("notes", list(mechanism.notes), "\n".join(mechanism.notes) or None)


def _tree(mechanism: Mechanism) -> str:
    """Return the links as a tree, children indented below their parents."""
    children: dict[str, list[Joint]] = {}
    for joint in mechanism.joints:
        children.setdefault(joint.parent, []).append(joint)
    freedom = mechanism.degrees_of_freedom
    closed = freedom if freedom is not None else "no closed configuration found;"
    lines = [f"{mechanism.name}: {closed} degrees of freedom, {len(mechanism.links)} links"]
    pending = [(0, mechanism.root, "")]
    while pending:
        depth, link, joint = pending.pop()
        # a chain of a thousand links stays readable
        indent = "  " * min(depth, 40)
        lines.append(f"{indent}{link}{f'  ({joint})' if joint else ''}")
        below = reversed(children.get(link, []))
        pending += [(depth + 1, x.child, f"{x.kind.value} {x.name}") for x in below]
    return "\n".join(lines)


def _system(system: System) -> Parts:
    names = [symbol_text(x) for x in system.coordinates]
    yield Part("coordinates", names, f"coordinates: {', '.join(names)}")
    energies = {"T": system.kinetic, "V": system.potential}
    if system.is_bare:
        energies = {"L": system.lagrangian}
    for name, energy in energies.items():
        yield Part(name, str(energy), f"{name} = {energy}")
    lists = {
        "forces": system.forces,
        "constraints": system.constraints,
        "velocity_constraints": system.velocity_constraints,
    }
    for name, entries in lists.items():
        texts = [str(x) for x in entries]
        is_shown = any(x != 0 for x in entries)
        title = name.replace("_", " ")
        yield Part(name, texts, f"{title}: {', '.join(texts)}" if is_shown else None)


def _limits(joint: Joint) -> str:
    if joint.mimic:
        return f"mimics {joint.mimic.joint}"
    low, high = number(joint.limits.lower), number(joint.limits.upper)
    if low is None and high is None:
        return "free"
    return f"{'-∞' if low is None else f'{low:g}'} … {'∞' if high is None else f'{high:g}'}"


def _vector(values: tuple) -> str:
    return " ".join(str(x) if isinstance(x, Expr) else f"{float(x):g}" for x in values)


def _value(x: object) -> float | str:
    return str(x) if isinstance(x, Expr) else float(x)  # type: ignore[arg-type]
