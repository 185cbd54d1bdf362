"""How many random cases a test draws."""


def num_cases(number: float, scale: float) -> int:
    """Return the number times the factor DALEMBERT_TEST_SCALE, and at least one.

    >>> num_cases(10, 2.0), num_cases(3, 0.1)
    (20, 1)
    """
    return max(1, round(number * scale))
