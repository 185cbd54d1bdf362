r"""LaTeX to tokens: ours, and that of textbooks: \frac, \ddot\theta, \sin\theta, \left(, m_1."""

from dalembert.reader.notations.latex.commands import latex_tokens

__all__ = ["latex_tokens"]
