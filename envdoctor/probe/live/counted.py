"""A method of the user's class that counts its calls: how many began, how many came back."""

from __future__ import annotations

import copy
import copyreg
import functools
import sys
import types
from typing import Any, Callable, Dict, Mapping, Optional, Tuple

from envdoctor.model.page import (
    AT_BEGINNING,
    AT_RAISE,
    AT_RESET,
    CLOSED,
    DUE,
    FEW,
    LOOK,
    LOOKS,
    OPTIONED,
    OWN_STEPS,
    RAISED,
    RESET,
    SCRAP,
    STEP,
    UNMADE,
    WIDTH,
)
from envdoctor.probe.live.builtins_replaced import FILE, preceding

#: The standard library's cache, which at size 0 calls and binds in C, and is not a function: what
#: is pickled by value with a class of `__main__` can be the original.
_Wrapper: Any = functools._lru_cache_wrapper

OF_FUNCTIONS = ("__code__", "__defaults__", "__kwdefaults__")
SEED, OPTIONS = "seed", "options"  # arguments of reset()
SELF = "self"
#: What seed() of older interfaces was given, by the id of an instance, until it is reset.
PENDING_SEEDS: Dict[int, Tuple[Optional[Callable[[], object]], object]] = {}
FIRST_RAISED = 16  # calls of an instance that raised, and of which each is journaled
VISITS = 4096  # resets of which the caller is looked at
MORE_ARGUMENTS = 0x04 | 0x08  # flags of code: *args, **kwargs


def _ignore(*_: object) -> None:
    """Nothing is to be done."""


class ResetCalls:
    """Calls around each reset(). With the row and the instance: `begins` before it, and `visit`
    after each of the first ones. `begun` after it, with the row, the seed, what it returned, the
    instance and what `begins` returned. With the id, `reopening` before it where an instance of its
    row was closed; with the row, `again` before a plain one that comes right after another.
    """

    __slots__ = ("again", "begins", "begun", "reopening", "visit")

    def __init__(
        self,
        begins: Callable[..., object] = _ignore,
        begun: Callable[..., None] = _ignore,
        reopening: Callable[[int], None] = _ignore,
        again: Callable[[int], None] = _ignore,
        visit: Callable[[int, object], None] = _ignore,
    ) -> None:
        self.begins, self.begun, self.reopening = begins, begun, reopening
        self.again, self.visit = again, visit


#: What has to be more than this in DUE for a call of a method to see to it: a reset() is a better
#: moment for a reading than a step(), and during a constructor is none.
LEAST = {"reset": 0, "step": AT_RESET, "make": LOOK, "close": LOOK}


class Rows(Dict[int, int]):
    """Places at which each instance of a class counts the calls of a method, by id."""


def counted(
    original: Callable[..., object],
    verb: str,
    numbers: memoryview,
    due: Callable[[], None],
    failing: Callable[[int, BaseException], None],
    closing: Optional[Callable[[int], None]] = None,
    rows: Optional[Rows] = None,
    around: Optional[ResetCalls] = None,
) -> object:
    """The method `original`, counted in `numbers` at the place that `rows` of the result has for
    the id of an instance. `closing` is called with the id before a close(); `due` before a step()
    and after a reset() where something is due; `failing` with the place and the error after a call
    that raised. `rows` are those of a method that this one replaces; `around` is for a reset().
    """
    rows = Rows() if rows is None else rows
    least = LEAST[verb]
    raised = UNMADE if verb == "make" else RAISED
    code = original.__code__
    if closing is not None:
        call = _close(original, rows.get, numbers, failing, closing)
    elif around is not None:
        call = _reset(original, rows.get, numbers, failing, due, around)
    elif _is_plain(original):
        call = _step(original, rows.get, numbers, failing, raised, least, due)
        names = code.co_varnames[:2] + call.__code__.co_varnames[2:]
        call.__code__ = call.__code__.replace(co_varnames=names)
    else:
        call = _call(original, rows.get, numbers, failing, raised, least, due)
    call.__code__ = call.__code__.replace(co_filename=FILE)
    call.__name__, call.__qualname__ = original.__name__, original.__qualname__
    return _in_place(call, original, rows)


def _in_place(call: Callable[..., object], original: Callable[..., object], rows: Rows) -> object:
    """A wrapper that is pickled as the original, with what inspect.getfullargspec() reads of it."""
    wrapper = _Wrapper(call, 0, False, None)
    functools.update_wrapper(wrapper, original, (*functools.WRAPPER_ASSIGNMENTS, *OF_FUNCTIONS))
    wrapper.rows = rows
    copyreg.pickle(_Wrapper, _reduced)
    return wrapper


def _is_plain(original: Callable[..., object]) -> bool:
    """Return whether a method takes one argument and no more, as most step() do: to pass it on as
    it is costs a third.
    """
    code = original.__code__
    more = code.co_kwonlyargcount or code.co_posonlyargcount or code.co_flags & MORE_ARGUMENTS
    return code.co_argcount == 2 and not more and not original.__defaults__


def is_within(instance: object, name: str) -> bool:
    """Return whether a counted method of an instance is being called in this thread."""
    frame: Optional[types.FrameType] = sys._getframe(1)
    while frame is not None:
        code = frame.f_code
        if code.co_filename == FILE and code.co_name == name and frame.f_locals[SELF] is instance:
            return True
        frame = frame.f_back
    return False


def is_counted(method: object) -> bool:
    """Return whether a method is one of ours."""
    return type(method) is _Wrapper and type(getattr(method, "rows", None)) is Rows


def noticing(
    original: Callable[..., None],
    before: Callable[[object, Tuple[object, ...], Dict[str, object]], None],
) -> Callable[..., None]:
    """A constructor that calls `before` with an instance and what it is given. A counted one may
    take the place of the original in it (`inner`).
    """

    def call(self: object, *args: object, **kwargs: object) -> None:
        before(self, args, kwargs)
        try:
            wrapper.inner(self, *args, **kwargs)
        except BaseException as error:
            if error.__traceback__ is not None:
                error.__traceback__ = error.__traceback__.tb_next
            raise

    wrapper = _passing(call, original)
    wrapper.inner = original
    return wrapper  # type: ignore[no-any-return]


def is_noticing(method: object) -> bool:
    """Return whether a constructor is one of ours that notices instances."""
    return type(method) is _Wrapper and hasattr(method, "inner")


def _reduced(wrapper: Any) -> Any:
    """Return what a pickle has of it: the original, by what every Python has."""
    if is_counted(wrapper):
        return copy.copy, (wrapper.__wrapped__,)
    return wrapper.__reduce_ex__(4)


def _failed(
    numbers: memoryview,
    at: int,
    raised: int,
    error: BaseException,
    failing: Callable[[int, BaseException], None],
) -> None:
    """Note a call that raised, and hand on the first of them, and then fewer and fewer: some
    environments end each episode so. Nothing of ours reaches the user.
    """
    try:
        row = at - at % WIDTH
        numbers[row + raised] += 1
        numbers[row + AT_RAISE] = numbers[row + RESET + 1] + numbers[row + STEP + 1]
        number = numbers[row + raised]
        if at != SCRAP and (number <= FIRST_RAISED or not number & (number - 1)):
            failing(at, error)
    except Exception:
        return


def _call(
    original: Callable[..., object],
    find: Callable[..., int],
    numbers: memoryview,
    failing: Callable[[int, BaseException], None],
    raised: int,
    least: int,
    due: Callable[[], None],
) -> object:
    """From Python 3.11 on, a traceback does not show this frame: what is raised again without
    its first entry stays so.
    """

    def call(self: object, *args: object, **kwargs: object) -> object:
        if numbers[DUE] > least:
            due()
        at = find(id(self), SCRAP)
        numbers[at] += 1
        try:
            result = original(self, *args, **kwargs)
        except BaseException as error:
            if error.__traceback__ is not None:
                error.__traceback__ = error.__traceback__.tb_next
            numbers[at + 1] += 1
            _failed(numbers, at, raised, error, failing)
            raise
        numbers[at + 1] += 1
        return result

    return call


def _step(
    original: Callable[..., object],
    find: Callable[..., int],
    numbers: memoryview,
    failing: Callable[[int, BaseException], None],
    raised: int,
    least: int,
    due: Callable[[], None],
) -> Any:
    """Make a call with one argument, whose name is that of the original's."""

    def call(self: object, action: object) -> object:
        if numbers[DUE] > least:
            due()
        at = find(id(self), SCRAP)
        numbers[at] += 1
        try:
            result = original(self, action)
        except BaseException as error:
            if error.__traceback__ is not None:
                error.__traceback__ = error.__traceback__.tb_next
            numbers[at + 1] += 1
            _failed(numbers, at, raised, error, failing)
            raise
        numbers[at + 1] += 1
        return result

    return call


def _reset(
    original: Callable[..., object],
    find: Callable[..., int],
    numbers: memoryview,
    failing: Callable[[int, BaseException], None],
    due: Callable[[], None],
    around: ResetCalls,
) -> object:
    """Make a call that says how episodes begin. The first argument of many is not a seed:
    TorchRL's is a tensordict, and some games take a level. What is due comes after it, when the
    instance has let go of the episode before: episodes get longer while a policy learns.
    """
    code = original.__code__
    in_place = code.co_argcount > 1 and code.co_varnames[1] == SEED
    begins, begun, visit = around.begins, around.begun, around.visit
    reopening, again = around.reopening, around.again

    def reset(self: object, *args: object, **kwargs: object) -> object:
        at = find(id(self), SCRAP)
        numbers[at] += 1
        row = at - at % WIDTH
        if numbers[row + CLOSED]:
            reopening(id(self))
        is_again = numbers[at + 1] and numbers[row + AT_BEGINNING] == numbers[row + STEP + 1]
        if is_again and at != SCRAP and _is_given_nothing(args, kwargs):
            again(row)
        earlier = begins(row, self) if at != SCRAP and numbers[at] <= LOOKS else None
        steps = numbers[row + STEP + 1]
        try:
            result = original(self, *args, **kwargs)
        except BaseException as error:
            if error.__traceback__ is not None:
                error.__traceback__ = error.__traceback__.tb_next
            numbers[at + 1] += 1
            _failed(numbers, at, RAISED, error, failing)
            raise
        numbers[at + 1] += 1
        if numbers[row + STEP + 1] != steps:
            numbers[row + OWN_STEPS] += numbers[row + STEP + 1] - steps
        numbers[row + AT_BEGINNING] = numbers[row + STEP + 1]
        numbers[row + OPTIONED] += kwargs.get(OPTIONS) is not None
        is_a_power = not numbers[at] & (numbers[at] - 1)
        is_known = kwargs or args or numbers[at] <= FEW or is_a_power or id(self) in PENDING_SEEDS
        if at != SCRAP and is_known:
            seed = args[0] if in_place and args else kwargs.get(SEED)
            begun(row, seed, result, self, earlier)
        if at != SCRAP and numbers[at] < VISITS:
            visit(row, self)
        if numbers[DUE]:
            due()
        return result

    return reset


def _is_given_nothing(args: Tuple[object, ...], keywords: Mapping[str, object]) -> bool:
    """Return whether a reset() is given nothing: a seed or options may ask for another start."""
    return not args and all(value is None for value in keywords.values())


def launching(
    original: Callable[..., object],
    begin: Callable[[], object],
    end: Callable[[object, object], None],
    failing: Callable[[object, object, BaseException], None],
) -> object:
    """A method of a vectorizer that makes its instances, or starts its workers; `end` is called
    with what `begin` returned, and with the vectorizer where it did not raise. Where it did,
    `failing` is called before it with the vectorizer's class, what it was given, and the error.
    """

    def call(self: object, *args: object, **kwargs: object) -> object:
        before, launched = begin(), None
        try:
            result = original(self, *args, **kwargs)
            launched = self
            return result
        except BaseException as error:
            if error.__traceback__ is not None:
                error.__traceback__ = error.__traceback__.tb_next
            failing(type(self), (*args, *kwargs.values()), error)
            raise
        finally:
            end(before, launched)

    return _passing(call, original)


def _close(
    original: Callable[..., object],
    find: Callable[..., int],
    numbers: memoryview,
    failing: Callable[[int, BaseException], None],
    closing: Callable[[int], None],
) -> Any:
    """Make a call that says that an instance is closed before it is."""

    def close(self: object, *args: object, **kwargs: object) -> object:
        at = find(id(self), SCRAP)
        numbers[at] += 1
        if at != SCRAP:
            closing(id(self))
        try:
            result = original(self, *args, **kwargs)
        except BaseException as error:
            if error.__traceback__ is not None:
                error.__traceback__ = error.__traceback__.tb_next
            numbers[at + 1] += 1
            _failed(numbers, at, RAISED, error, failing)
            raise
        numbers[at + 1] += 1
        return result

    return close


def passing(original: Any, before: Callable[..., None]) -> object:
    """A method before which `before` is called with its object: a step of a vectorizer, which is a
    moment at which what is due can be seen to (in the process of a trainer no environment is
    called), or a close().
    """
    return preceded(original, lambda self, *_args, **_kwargs: before(self))


def preceded(original: Callable[..., object], before: Callable[..., None]) -> object:
    """A method before which `before` is called with all that it is given."""
    return _passing(preceding(original, before), original)


def returning(original: Any, after: Callable[..., None]) -> object:
    """A method after which `after` is called with its object, or first argument, and its result."""

    def call(self: object, *args: object, **kwargs: object) -> object:
        try:
            result = original(self, *args, **kwargs)
        except BaseException as error:
            if error.__traceback__ is not None:
                error.__traceback__ = error.__traceback__.tb_next
            raise
        after(self, result)
        return result

    return _passing(call, original)


def in_the_place_of(
    original: Callable[..., object], call: Callable[..., object]
) -> Callable[..., object]:
    """A function of ours that calls a method of a library, as a wrapper in its place."""
    return _passing(call, original)  # type: ignore[no-any-return]


def raising(original: Callable[..., object], failed: Callable[..., None]) -> Callable[..., object]:
    """A method that calls `failed` with its object and what it raised, where it raises."""

    def call(self: object, *args: object, **kwargs: object) -> object:
        try:
            return original(self, *args, **kwargs)
        except BaseException as error:
            if error.__traceback__ is not None:
                error.__traceback__ = error.__traceback__.tb_next
            failed(self, error)
            raise

    return _passing(call, original)  # type: ignore[no-any-return]


def _passing(call: Any, original: Callable[..., object]) -> Any:
    """A function in the place of another one, as a wrapper that is pickled as the original."""
    call.__code__ = call.__code__.replace(co_filename=FILE)
    return _in_place(call, original, Rows())


def replace_method(
    module: types.ModuleType, name: str, replacing: Callable[..., object], *calls: object
) -> None:
    """Put a method of a vectorizer that calls us in the place of the original."""
    owner_name, _, method = name.partition(".")
    owner = getattr(module, owner_name)
    original = vars(owner).get(method)
    if type(original) is types.FunctionType:
        type.__setattr__(owner, method, replacing(original, *calls))
