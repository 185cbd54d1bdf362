"""Measure the source tree: `python -m tools.house`.

Everything is read from syntax trees; nothing of the package is imported or run. `--src FOLDER`
measures another checkout, `--places` lists what was counted and where, `--json FILE` keeps the
figures, and `--before FILE --write PAGE` puts a table of the figures before and after into a page,
between the markers `<!-- house:begin -->` and `<!-- house:end -->`.

Imports inside functions are statements that import modules of this package. A *call-time cycle* is
a set of files in which every file reaches every other by imports, those inside functions included
and left out those for types and those that `tests/project/test_layers.py` lists as upward.

A *kind check* is a line that asks whether a description is a `System` or a `Mechanism`. The two
classes are found by their public names; a pair of classes that take one of them each as their first
argument, and share a base or `ALIKE` public methods, stands for them too. A line asks if it

- tests for such a class: `isinstance`, `issubclass`, a comparison, a `case`, a key of a dictionary,
  or the first parameter of a function that is registered for it;
- probes for an attribute that only one class of a pair has;
- reads a flag that is True in one class of a pair and False in the other, or compares with
  anything an attribute that is another text in each; or
- reads a method or field of one of the classes, of their bases or of `Model` that is annotated with
  one of the classes or None.

Other names for classes, fields and variables therefore change nothing. Not counted are lines of
the file that defines the class, and attributes of a variable that is annotated as something else,
or in a package that imports none of the classes and no `Model`.

A *probe* is `hasattr`, or `getattr` with a default, of a literal name; it is *for an expression* if
`Expr` has an attribute of that name. A *hook* is a file that sets an attribute of a class of
another file, or that is called `hooks.py`. `Any` counts in the annotated parameters and results of
functions and methods without leading underscore: as the whole annotation or a member of its union,
inside another type, or by the name of an alias. *Exported* are the names in the `__all__` of the
packages, with the methods of their classes.
"""
