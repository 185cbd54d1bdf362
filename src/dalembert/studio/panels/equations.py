"""The equation of one coordinate beside the picture, with the number of every term now."""

from __future__ import annotations

from html import escape
from threading import Thread
from typing import TYPE_CHECKING

from dalembert.errors import DalembertError
from dalembert.studio.terms import Term, Terms

if TYPE_CHECKING:
    from collections.abc import Callable

    import viser

    from dalembert.mechanics import Equations
    from dalembert.studio.state import Moment, State

STYLE = (
    "font-family:ui-monospace,monospace;font-size:12px;border-collapse:collapse;width:100%;"
    "line-height:1.35"
)


class EquationsPanel:
    """A table of terms: which one is large now? Formulas appear when they are derived."""

    def __init__(
        self, gui: viser.GuiApi, state: State, derive: Callable[[], Equations] | None
    ) -> None:
        self.state = state
        self._terms = Terms(state.model)
        names = list(state.model.configuration.v_names)
        # two joints may have the same name in a picture, not in a list
        self._choice = gui.add_dropdown("Equation of", names, initial_value=names[0])
        self._choice.on_update(lambda _: self.show(state.moment))
        self._names = names
        self._html = gui.add_html("")
        state.read_out(self.show)
        if derive is not None:
            Thread(target=self._derive, args=(derive,), daemon=True).start()

    def _derive(self, derive: Callable[[], Equations]) -> None:
        try:
            self._terms = Terms(self.state.model, derive())
        except DalembertError:
            # the numbers stand without the formulas
            return
        if self.state.is_open:
            self.show(self.state.moment)

    def show(self, moment: Moment) -> None:
        """Write the table of this moment."""
        i = self._names.index(self._choice.value)
        try:
            rows = self._terms.row(i, moment)
        except DalembertError as error:
            self._html.content = f"<p>{escape(str(error))}</p>"
            return
        self._html.content = table(rows, moment.trouble)


def table(rows: list[Term], trouble: str = "") -> str:
    """Return terms as a table with a bar for each value; both sides are added up."""
    largest = max((abs(x.value) for x in rows), default=0.0) or 1.0
    rows = [x._replace(value=_rounded(x.value, largest)) for x in rows]
    lines = [f'<table style="{STYLE}">']
    for is_left, title in (True, "M q̈ + C q̇ + N"), (False, "= Υ + Aᵀλ"):
        side = [x for x in rows if x.is_left is is_left]
        total = _rounded(sum(x.value for x in side), largest)
        lines += [_row(x, largest) for x in side]
        lines.append(
            f'<tr style="border-top:1px solid #8884;font-weight:bold"><td>{title}</td>'
            f'<td style="text-align:right">{total:.4g}</td><td></td></tr>'
        )
    lines.append("</table>")
    if trouble:
        lines.append(f'<p style="color:#c0392b">{escape(trouble)}</p>')
    return "\n".join(lines)


def _rounded(x: float, largest: float) -> float:
    """Return a number, or 0 where it is rounding beside the largest."""
    return 0.0 if abs(x) < 1e-12 * largest else x


def _row(term: Term, largest: float) -> str:
    width = 70 * abs(term.value) / largest
    colour = "#4c72b0" if term.value >= 0 else "#c44e52"
    formula = f'<div style="opacity:.75">{escape(term.formula)}</div>' if term.formula else ""
    bar = f'<div style="height:9px;width:{width:.0f}px;background:{colour}"></div>'
    return (
        f'<tr><td>{escape(term.name)}{formula}</td><td style="text-align:right">'
        f'{term.value:.4g}</td><td style="width:74px">{bar}</td></tr>'
    )
