"""Refusals by size that say what made the equations so large."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import cached_property, wraps
from typing import Any, TypeVar

from dalembert.errors import TooLarge

T = TypeVar("T")


def remarked(method: Callable[..., T]) -> Callable[..., T]:
    """Return a method whose refusals by size end with the remark of its equations."""

    @wraps(method)
    def with_remark(self: Any, *args: Any, **options: Any) -> T:
        try:
            return method(self, *args, **options)
        except TooLarge as refusal:
            if not self.remark or self.remark in str(refusal):
                raise
            raise TooLarge(f"{refusal}\n{self.remark}") from None

    return with_remark


def with_remarks(cls: type[T]) -> type[T]:
    """Let all public methods and parts of a class end their refusals by size with its remark."""
    for name, member in inspect.getmembers_static(cls):
        if name.startswith("_") and name not in ("__str__", "__repr__"):
            continue
        if isinstance(member, cached_property):
            part = cached_property(remarked(member.func))
            part.__set_name__(cls, name)
            setattr(cls, name, part)
        elif inspect.isfunction(member):
            setattr(cls, name, remarked(member))
    return cls
