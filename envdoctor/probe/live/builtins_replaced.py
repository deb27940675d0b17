"""Functions in the place of those of Python's modules. Many processes of a training load this when
they start, so it imports next to nothing.
"""

from __future__ import annotations

TYPE_CHECKING = False  # the module `typing` would take longer to import than all the rest
if TYPE_CHECKING:
    from functools import partial
    from typing import Callable
else:
    from _functools import partial  # without what functools imports

#: Frames of such a file are passed over by warnings.warn(stacklevel=2), as the import system's are.
FILE = "<envdoctor importlib._bootstrap>"
COPIED = ("__name__", "__qualname__", "__doc__")


class Builtin(partial):  # type: ignore[type-arg]
    """A function in the place of one of Python's in C: a class that has it does not bind it, and it
    is pickled by its name.
    """

    def __get__(self, *_: object) -> object:
        """Return the function itself, as a function in C does."""
        return self

    def __reduce__(self) -> str:
        return self.__qualname__  # type: ignore[attr-defined, no-any-return]


def preceded_builtin(
    original: Callable[..., object], before: Callable[..., None], module: str
) -> object:
    """A function of a module of Python's before which `before` is called with what it is given."""
    return _in_place(preceding(original, before), original, module)


def preceding(
    original: Callable[..., object], before: Callable[..., None]
) -> Callable[..., object]:
    """A function that calls `before` with what it is given, and then another one."""

    def call(*args: object, **kwargs: object) -> object:
        before(*args, **kwargs)
        try:
            return original(*args, **kwargs)
        except BaseException as error:
            if error.__traceback__ is not None:
                error.__traceback__ = error.__traceback__.tb_next
            raise

    return call


def followed_builtin(
    original: Callable[..., object], after: Callable[[object], None], module: str
) -> object:
    """A function of a module of Python's after which `after` is called with its result."""

    def call(*args: object, **kwargs: object) -> object:
        try:
            result = original(*args, **kwargs)
        except BaseException as error:
            if error.__traceback__ is not None:
                error.__traceback__ = error.__traceback__.tb_next
            raise
        after(result)
        return result

    return _in_place(call, original, module)


def _in_place(call: Callable[..., object], original: Callable[..., object], module: str) -> object:
    call.__code__ = call.__code__.replace(co_filename=FILE)
    builtin = Builtin(call)
    for name in COPIED:
        if hasattr(original, name):
            setattr(builtin, name, getattr(original, name))
    builtin.__wrapped__, builtin.__module__ = original, module  # type: ignore[attr-defined]
    return builtin
