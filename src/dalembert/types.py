"""Types that annotations share: scalars of any arithmetic, and arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike as ArrayLike

    Array: TypeAlias = np.ndarray[Any, Any]
    """What numerical functions return: an array of the backend, NumPy's unless chosen otherwise."""


class Scalar(Protocol):
    """Anything with arithmetic: a number, an array, an expression, an element of a ring."""

    def __add__(self, other: Any, /) -> Any: ...
    def __radd__(self, other: Any, /) -> Any: ...
    def __sub__(self, other: Any, /) -> Any: ...
    def __rsub__(self, other: Any, /) -> Any: ...
    def __mul__(self, other: Any, /) -> Any: ...
    def __rmul__(self, other: Any, /) -> Any: ...
    def __neg__(self) -> Any: ...
