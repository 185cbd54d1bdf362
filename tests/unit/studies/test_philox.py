"""Random numbers of rows are those of NumPy's Philox with the row as a part of the key."""

import numpy as np
import pytest

from dalembert.studies import philox


@pytest.mark.parametrize("seed", [0, 1, 12345, 2**63, 2**64 - 1])
@pytest.mark.parametrize("stream", [philox.FUNCTION, philox.DESIGN])
def test_words_are_those_of_numpy(seed: int, stream: int) -> None:
    rows = np.array([0, 1, 17, 2**31, 2**62])
    found = philox.words(seed, rows, 11, stream)
    for row, mine in zip(rows, found, strict=True):
        key, counter = np.array([seed, row], np.uint64), np.array([0, 0, 0, stream], np.uint64)
        theirs = np.random.Philox(key=key, counter=counter)
        assert (mine == theirs.random_raw(11)).all()


def test_uniform_numbers_are_those_of_numpy() -> None:
    generator = np.random.Generator(np.random.Philox(key=np.array([3, 8], np.uint64)))
    found = philox.uniform(philox.words(3, np.array([8]), 100))
    assert (found[0] == generator.random(100)).all()


def test_numbers_inside_never_reach_an_end() -> None:
    ends = np.array([0, 2**64 - 1], np.uint64)
    low, high = philox.inside(ends)
    assert 0 < low < high < 1
