"""How results look in notebooks."""

from html import escape


class Printed:
    """A result that notebooks show as `print` does.

    >>> class Two(Printed):
    ...     def __str__(self) -> str:
    ...         return "1 < 2"
    >>> Two()._repr_html_()
    '<pre style="white-space: pre-wrap">1 &lt; 2</pre>'
    """

    __slots__ = ()

    def _repr_html_(self) -> str:
        return f'<pre style="white-space: pre-wrap">{escape(str(self))}</pre>'
