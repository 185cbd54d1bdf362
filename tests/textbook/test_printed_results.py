"""The tables of the pages: printed formulas are ours, but for those that the errata list."""

import pytest

import dalembert as da
from tools.printed_results import RESULTS, is_same, table


@pytest.mark.parametrize("name", RESULTS)
def test_printed_formulas_are_ours_or_errata(name: str) -> None:
    found = getattr(da.textbook, name, None) or getattr(da.textbook.robots, name)
    eq = found().equations()
    for printed in RESULTS[name]:
        assert is_same(printed, eq) == (printed.note == ""), printed.what
    # a line for each formula, or Markdown sees no table
    lines = table(name, eq).splitlines()[2:]
    assert len(lines) == len(RESULTS[name]) + 2
    assert all(line.startswith("|") and line.endswith("|") for line in lines)
