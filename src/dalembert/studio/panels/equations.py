"""The equation of one coordinate beside the picture, with the number of every term now."""

from __future__ import annotations

from html import escape
from threading import Thread
from typing import TYPE_CHECKING

from dalembert.errors import DalembertError
from dalembert.studio.terms import Term, Terms
from dalembert.typeset.font.style import math_style
from dalembert.typeset.render.inline import mathml_sentence
from dalembert.typeset.render.kinds import style_by

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import viser

    from dalembert.mechanics import Equations
    from dalembert.studio.state import Moment, State

STYLE = (
    "font-family:ui-monospace,monospace;font-size:12px;border-collapse:collapse;width:100%;"
    "line-height:1.35"
)
DARK = '[data-mantine-color-scheme="dark"]'
"""What viser says of a dark page."""
MOST = 20
"""Terms of one side; of more, the largest are shown."""


class EquationsPanel:
    """A table of terms: which one is large now? Formulas appear when they are derived."""

    def __init__(
        self,
        gui: viser.GuiApi,
        state: State,
        derive: Callable[[], Equations] | None,
        units: Sequence[str],
    ) -> None:
        self.state = state
        self._terms = Terms(state.model)
        self._units = units
        names = list(state.model.configuration.v_names)
        # two joints may have the same name in a picture, not in a list
        self._choice = gui.add_dropdown("Equation of", names, initial_value=names[0])
        self._choice.on_update(lambda _: self.show(state.moment))
        self._names = names
        gui.add_html(page_style())
        self._html = gui.add_html("<p>compiling …</p>")
        self._is_ready = False
        Thread(target=self._prepare, args=(derive,), daemon=True).start()

    def _prepare(self, derive: Callable[[], Equations] | None) -> None:
        """Compile, which takes long for many joints, and derive; the picture does not wait."""
        moment = self.state.moment
        try:
            self._terms.row(0, moment)
        except DalembertError as error:
            self._html.content = f"<p>{escape(str(error))}</p>"
            return
        self._is_ready = True
        self.state.read_out(self.show)
        if derive is None:
            return
        try:
            self._terms = Terms(self.state.model, derive())
        except DalembertError:
            # the numbers stand without the formulas
            return
        self.show(self.state.moment)

    def show(self, moment: Moment) -> None:
        """Write the table of this moment."""
        if not (self._is_ready and self.state.is_open):
            return
        i = self._names.index(self._choice.value)
        try:
            rows = self._terms.row(i, moment)
        except DalembertError as error:
            self._html.content = f"<p>{escape(str(error))}</p>"
            return
        self._html.content = table(rows, moment.trouble, self._units[i])


def table(rows: list[Term], trouble: str = "", unit: str = "") -> str:
    """Return terms as a table with a bar for each value; both sides are added up."""
    largest = max((abs(x.value) for x in rows), default=0.0) or 1.0
    has_constraints = any(x.name.startswith("(Aᵀλ)") for x in rows)
    sides = (True, "M q̈ + C q̇ + N"), (False, "= Υ + Aᵀλ" if has_constraints else "= Υ")
    lines = [f'<div style="padding:0 10px"><table style="{STYLE}">']
    for is_left, title in sides:
        side = [x for x in rows if x.is_left is is_left]
        total = _rounded(sum(x.value for x in side), largest)
        lines += [_row(x, largest) for x in _largest(side)]
        lines.append(
            f'<tr style="border-top:1px solid #8884;font-weight:bold"><td>{title}</td>'
            f'<td style="text-align:right">{total:.4g}</td>'
            f'<td style="padding-left:4px">{unit}</td></tr>'
        )
    lines.append("</table>")
    if trouble:
        lines.append(f'<p style="color:#c0392b">{escape(trouble)}</p>')
    lines.append("</div>")
    return "\n".join(lines)


def _largest(side: list[Term]) -> list[Term]:
    """Return the largest terms in their order, and the sum of the others."""
    if len(side) <= MOST:
        return side
    by_size = sorted(range(len(side)), key=lambda k: -abs(side[k].value))
    kept, rest = sorted(by_size[: MOST - 1]), by_size[MOST - 1 :]
    total = sum(side[k].value for k in rest)
    smaller = Term(f"{len(rest)} smaller terms", "", total, side[0].is_left)
    return [*(side[k] for k in kept), smaller]


def _rounded(x: float, largest: float) -> float:
    """Return a number, or 0 where it is rounding beside the largest."""
    return 0.0 if abs(x) < 1e-12 * largest else x


def _row(term: Term, largest: float) -> str:
    width = 36 * abs(term.value) / largest
    # to the left of the middle where it is negative
    side = "right:50%" if term.value < 0 else "left:50%"
    kind = term.kind or "other"
    shown = mathml_sentence(term.name)
    # a formula needs a line of its own, some words do not
    if term.mathml:
        shown += f'<div><math displaystyle="true">{term.mathml}</math></div>'
    elif term.meaning:
        shown += f'<span style="opacity:.75"> {escape(term.meaning)}</span>'
    bar = (
        '<div style="position:relative;height:10px;width:74px;border-left:0">'
        '<div style="position:absolute;left:50%;width:1px;height:10px;background:#8888"></div>'
        f'<div class="{kind}" style="position:absolute;{side};width:{width:.0f}px;height:10px;'
        'background:currentColor"></div></div>'
    )
    return (
        f'<tr><td class="{kind}">{shown}</td><td style="text-align:right">'
        f'{term.value:.4g}</td><td style="width:78px;padding-left:4px">{bar}</td></tr>'
    )


def page_style() -> str:
    """Return the font of formulas and the colours of terms, once for all tables."""
    return f"<style>{math_style()}{style_by(DARK)}</style>"
