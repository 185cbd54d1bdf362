"""When a run is told to be without hope: by the calls that it still needs."""

import pytest

from dalembert.errors import EvaluationError
from dalembert.simulation.pace import Pace


def test_many_steps_in_a_call_come_to_the_end() -> None:
    """3·10⁸ steps of 0.03 s are left: thousands in a call of compiled code, or one in each."""
    together, one_by_one = Pace(0.0, 1e7), Pace(0.0, 1e7)
    together.count_steps(125.0, 4000)
    assert together.is_slow
    together.check()
    for k in range(1, 1001):
        one_by_one.count_steps(0.03 * k)
    assert one_by_one.is_slow
    with pytest.raises(EvaluationError, match="expected steps that come to the end"):
        one_by_one.check()
