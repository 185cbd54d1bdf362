"""Answers that well-known books print are right in the form in which the books print them."""

from __future__ import annotations

import pytest

from tests.textbook.books import BOOKS
from tests.textbook.books.problem import Problem

PROBLEMS = [problem for problems in BOOKS.values() for problem in problems]


@pytest.mark.parametrize("problem", PROBLEMS, ids=lambda x: x.title)
def test_printed_answers_are_right(problem: Problem):
    for grade in problem.grades():
        assert grade.is_right, (problem.title, str(grade))
        if grade.extent is not None:
            assert grade.is_complete is problem.is_complete, str(grade)


def test_there_are_sixty_problems_and_more():
    assert len(PROBLEMS) >= 60
    assert len({x.title for x in PROBLEMS}) == len(PROBLEMS)
