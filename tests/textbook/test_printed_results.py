"""The tables of the pages: printed formulas are ours, but for those that the errata list."""

import pytest

import dalembert as da
from tools.printed_results import RESULTS, is_same, table


@pytest.mark.parametrize("name", RESULTS)
def test_printed_formulas_are_ours_or_errata(name: str) -> None:
    eq = getattr(da.textbook, name)().equations()
    for printed in RESULTS[name]:
        assert is_same(printed, eq) == (printed.note == ""), printed.what
    assert table(name, eq).count("\n| ") == len(RESULTS[name]) + 1
