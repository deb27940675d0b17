"""Edits that let close() skip what is gone, go on after an error, and let go of what it holds."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from envdoctor.model.environment_aims import (
    CallInClose,
    Clear,
    CutCycle,
    EndByMethod,
    Forget,
    GoOn,
    Member,
    PassOn,
    Skip,
    TakeLater,
)
from envdoctor.model.errors import ErrorValue, Frame
from envdoctor.model.remedy import FIRST, LAST, MEMBER, TOP, Edit
from envdoctor.remedies.applying import statement_text
from envdoctor.remedies.finishing import finish, made_by
from envdoctor.remedies.holding import made_class
from envdoctor.remedies.log_handlers import delay_log_files
from envdoctor.remedies.logging_names import KEPT, share_logger
from envdoctor.remedies.loosening import hold_weakly
from envdoctor.remedies.needing import bound_names, needed
from envdoctor.remedies.removing import is_alone
from envdoctor.remedies.source import (
    CONSTRUCTOR,
    Candidate,
    File,
    Function,
    OwningClass,
    Source,
    assignments,
    instead,
    is_empty,
    last_name,
    own_attribute,
    own_attributes,
    removed,
    replaced,
)
from envdoctor.remedies.telling import ENDING, ending_method
from envdoctor.remedies.windows import QUIT, close_last_window

MISTAKES = ("AttributeError", "NameError", "UnboundLocalError")
#: After the way to a member that is a method of the instance.
METHOD = ".__self__"
IMPORTS = {"plt": "import matplotlib.pyplot as plt"}


def frame_in_close(error: ErrorValue, source: Source) -> Frame | None:
    """The innermost frame of an error that is in a close() of the user's."""
    inside = [frame for frame in error.frames if _in_method(frame, source, "close")]
    return inside[-1] if inside else None


def _in_method(frame: Frame, source: Source, name: str) -> bool:
    around = source.around(frame)
    return around is not None and around[1].name == name and around[0].name in _names(source)


def _names(source: Source) -> set[str]:
    return {owner.name for owner in source.chain}


def skip(aim: Skip, source: Source) -> Iterator[Candidate]:
    """Edits with which close() skips what is gone, or was never made."""
    frame = frame_in_close(aim.error, source)
    statement = source.statement_at(frame) if frame else None
    around = source.around(frame) if frame else None
    if statement is None or around is None:
        return
    owner, method = around
    file = owner.file
    name = single_attribute(statement)
    missing = re.search(r"has no attribute '(\w+)'", aim.error.message)
    if missing and not name and missing[1] in file.text:
        name = missing[1]
    flag = source.framework.reuse.flag if source.framework.reuse else ""
    if aim.unopened and flag and flag in file.text:
        yield (_first(owner, (f'if not getattr(self, "{flag}", False):', "    return")),)
    if name:
        # Where nothing was opened, close() stays what it is after a reset.
        yield (guard(source, file, statement, name, forget=not aim.unopened),)
    if name and aim.unopened:
        yield _guards(source, file, method, statement)
        block = (f'if getattr(self, "{name}", None) is None:', "    return")
        yield (_first(owner, block),)
    if name and missing and not aim.unopened:
        yield (_first(owner, (f'if getattr(self, "{name}", None) is None:', "    return")),)
    if not aim.unopened:
        yield from _closed_flag(source, owner)


def guard(source: Source, file: File, statement: ast.stmt, name: str, *, forget: bool) -> Edit:
    """The edit that makes a statement where an attribute has something, and forgets that then,
    where the next line does not.
    """
    forgotten = f"self.{name} = None"
    after = file.lines[statement.end_lineno or statement.lineno :][:1]
    forgets = (
        forget and not isinstance(statement, ast.Delete) and forgotten not in map(str.strip, after)
    )
    lines = (
        f"if {source.held(name)} is not None:",
        *(f"    {line}" for line in statement_text(file, statement)),
        *((f"    {forgotten}",) if forgets else ()),
    )
    return instead(file, statement, lines)


def _guards(source: Source, file: File, method: Function, first: ast.stmt) -> Candidate:
    """Guards of all plain statements of close(), from the one that raised on: what was never opened
    raises at each of them.
    """
    body = method.body[method.body.index(first) :] if first in method.body else [first]
    named = ((each, single_attribute(each)) for each in body)
    return tuple(guard(source, file, each, name, forget=False) for each, name in named if name)


def _closed_flag(source: Source, owner: OwningClass) -> Iterator[Candidate]:
    """close() returns at once where it was called before, and reset() opens again."""
    block = ('if getattr(self, "_closed", False):', "    return", "self._closed = True")
    closing = _first(owner, block)
    reset = source.method("reset")
    if reset is not None:
        opening = Edit(reset[0].file.path, FIRST, ("self._closed = False",), reset[0].name, "reset")
        yield closing, opening
    yield (closing,)


def _first(owner: OwningClass, lines: tuple[str, ...]) -> Edit:
    return Edit(owner.file.path, FIRST, lines, owner.name, "close")


def single_attribute(statement: ast.stmt) -> str:
    """The one attribute of `self` that a plain statement uses: `_client` of
    `self._client.disconnect()`; else nothing.
    """
    if not isinstance(statement, ast.Expr | ast.Delete):
        return ""
    called = {
        own_attribute(node.func) for node in ast.walk(statement) if isinstance(node, ast.Call)
    }
    names = own_attributes(statement)
    # A method of its own holds nothing.
    return names.pop() if len(names) == 1 and not names & called else ""


def go_on(aim: GoOn, source: Source) -> Iterator[Candidate]:
    """Edits with which close() has what it needs, or reports an error and goes on. A name that is
    missing is a mistake in the code itself: that is never caught.
    """
    frame = frame_in_close(aim.error, source)
    statement = source.statement_at(frame) if frame else None
    around = source.around(frame) if frame else None
    if around is None or statement is None:
        return
    module, _, kind = aim.error.type.rpartition(".")
    name = single_attribute(statement)
    plain = isinstance(statement, ast.Expr | ast.Assign | ast.AugAssign | ast.Delete)
    file = around[0].file
    if name and "'NoneType' object has no attribute" in aim.error.message:
        yield (guard(source, file, statement, name, forget=False),)
    elif kind == "AttributeError":
        yield from _renamed(aim.error, statement, file, source)
        yield from _initialized(aim.error, source)
    if not plain or kind in MISTAKES:
        return
    lines = (
        "try:",
        *(f"    {line}" for line in statement_text(file, statement)),
        f"except {kind if module == 'builtins' else 'Exception'} as error:",
        '    warnings.warn(f"close() goes on: {error}", stacklevel=2)',
    )
    yield (instead(file, statement, lines), *needed(file, lines))


def _renamed(
    error: ErrorValue, statement: ast.stmt, file: File, source: Source
) -> Iterator[Candidate]:
    """Edits that end what an attribute holds by the method that its class has for that, where
    close() asks for an attribute that it does not have: `self.viewer.window.close()`.
    """
    missing = re.search(r"'(\w+)' object has no attribute '(\w+)'", error.message)
    call = statement.value if isinstance(statement, ast.Expr) else None
    if missing is None or not isinstance(call, ast.Call) or last_name(call.func) not in ENDING:
        return
    for node in ast.walk(call):
        name = own_attribute(node.value) if isinstance(node, ast.Attribute) else ""
        if not name or getattr(node, "attr", "") != missing[2]:
            continue
        made = {
            kind.name for _, value in source.assigned(name) if (kind := made_class(source, value))
        }
        ending = ending_method(source.owner(missing[1])) if missing[1] in made else ""
        if ending:
            yield replaced(file, [(call, f"self.{name}.{ending}()")])


def end_by_method(aim: EndByMethod, source: Source) -> Iterator[Candidate]:
    """Edits of close(), which calls `self.viewer.close()` in place of `self.viewer.clear(None)`;
    and of what it calls, without `os._exit(0)`.
    """
    yield from _end_by_method(source)
    statement = source.statement_at(aim.place) if aim.place else None
    if aim.place is not None and isinstance(statement, ast.Expr):
        file = source.files[aim.place.file]
        if file.full_name(getattr(statement.value, "func", None)) == "os._exit":
            yield (removed(file, statement),)


def _end_by_method(source: Source) -> Iterator[Candidate]:
    owner, method = source.method("close") or (None, None)
    nodes = list(ast.walk(method)) if method else []
    called = {ast.unparse(node.func) for node in nodes if isinstance(node, ast.Call)}
    for node in nodes:
        function = getattr(node.value, "func", None) if isinstance(node, ast.Expr) else None
        name = own_attribute(function.value) if isinstance(function, ast.Attribute) else ""
        kinds = (made_class(source, value) for _, value in source.assigned(name) if name)
        ending = ending_method(next(filter(None, kinds), None))
        if owner and ending and f"self.{name}.{ending}" not in called:
            assert isinstance(node, ast.stmt)
            yield (instead(owner.file, node, (f"self.{name}.{ending}()",)),)


def _initialized(error: ErrorValue, source: Source) -> Iterator[Candidate]:
    """Edits with which the constructor sets an attribute that another method sets later: to what is
    set there, where that is a constant or empty; else to None, which close() skips.
    """
    missing = re.search(r"'(\w+)' object has no attribute '(\w+)'", error.message)
    statement = source.statement_at(error.frames[-1])
    if not missing or missing[1] not in _names(source) or statement is None:
        return
    name = missing[2]
    setting = list(source.assigned(name))
    home = _with_constructor([owner for owner, _ in setting], source)
    if home is None:
        return
    values = {ast.unparse(value) for _, value in setting}
    value = values.pop() if len(values) == 1 and is_empty(setting[0][1]) else "None"
    line = Edit(home.file.path, FIRST, (f"self.{name} = {value}",), home.name, "__init__")
    if value != "None":
        yield (line,)
    elif single_attribute(statement) == name:
        file = source.files[error.frames[-1].file]
        lines = (
            f"if self.{name} is not None:",
            *(f"    {each}" for each in statement_text(file, statement)),
        )
        yield line, instead(file, statement, lines)


def _with_constructor(setting: list[OwningClass], source: Source) -> OwningClass | None:
    """The class whose constructor runs for each instance of the classes that set an attribute: the
    one of the last base among them, or of the next class that inherits from it.
    """
    order = [owner.name for owner in source.chain]
    at = max((order.index(owner.name) for owner in setting), default=-1)
    own = (each for each in reversed(source.chain[: at + 1]) if "__init__" in each.methods)
    return next(own, None)


def take_later(aim: TakeLater, source: Source) -> Iterator[Candidate]:
    """Edits with which reset() takes, once, what the constructor took, and close() gives back what
    was taken: the constructor does not call what reset() calls as well. The file of a log is
    opened when something is written.
    """
    edits = list(delay_log_files(aim.places, source))
    if edits:
        yield tuple(edits)
        return
    for owner in () if aim.places else source.chain:
        made = owner.methods.get(CONSTRUCTOR)
        edits += [
            instead(owner.file, each, ("pass",) if is_alone(each, owner.file) else ())
            for each in (made.body if made else ())
            if _repeated_in_reset(each, source)
        ]
    for frame in aim.places:
        around, statement = source.around(frame), source.statement_at(frame)
        if around is None or not isinstance(statement, ast.Assign):
            return
        owner, method = around
        name = own_attribute(statement.targets[0])
        if not name or method.name != "__init__" or _used_besides(method, statement, name):
            return
        local = {node.id for node in ast.walk(statement.value) if isinstance(node, ast.Name)}
        if local & {argument.arg for argument in (*method.args.args[1:], *method.args.kwonlyargs)}:
            return
        text = statement_text(owner.file, statement)
        later = (f"if self.{name} is None:", *(f"    {line}" for line in text))
        edits.append(instead(owner.file, statement, (f"self.{name} = None",)))
        edits.append(Edit(owner.file.path, FIRST, later, owner.name, "reset"))
        edits += _guards_of(name, source)
    if edits:
        yield tuple(edits)


def _guards_of(attribute: str, source: Source) -> Iterator[Edit]:
    """Guards of the plain calls of an attribute in close(), which may have nothing."""
    for owner in source.chain:
        close = owner.method("close")
        using = [each for each in (close.body if close else ()) if _calls_alone(each, attribute)]
        for each in using:
            yield guard(source, owner.file, each, attribute, forget=each is using[-1])


def _calls_alone(statement: ast.stmt, attribute: str) -> bool:
    return isinstance(statement, ast.Expr) and single_attribute(statement) == attribute


def _repeated_in_reset(statement: ast.stmt, source: Source) -> bool:
    """Return True for `self.connect()` in a constructor, where reset() calls the same."""
    reset = source.method("reset")
    call = statement.value if isinstance(statement, ast.Expr) else None
    if reset is None or not isinstance(call, ast.Call) or not own_attribute(call.func):
        return False
    return ast.dump(statement) in map(ast.dump, reset[1].body)


def _used_besides(method: Function, statement: ast.stmt, name: str) -> bool:
    uses = [node for node in ast.walk(method) if own_attribute(node) == name]
    return len(uses) > sum(own_attribute(node) == name for node in ast.walk(statement))


def forget(aim: Forget, source: Source) -> Iterator[Candidate]:
    """Edits with which an instance leaves the container of its module or class."""
    match = re.fullmatch(r"([\w.]+)(?:\[(.+)\]|\.<member>)((?:\.env)*|\.__self__)", aim.chain)
    place = _container(match[1], source) if match and source.chain else None
    if match is None or place is None:
        return
    name, value, extra = place
    key, of_it = match[2], match[3]
    owner = source.chain[0]
    known = 'getattr(each, "unwrapped", each)' if of_it else "each"
    known = 'getattr(each, "__self__", None)' if of_it == METHOD else known
    method = _signed_up(name, source) if of_it == METHOD else ""
    if method:
        lines: tuple[str, ...] = (
            f"if self.{method} in {name}:",
            f"    {name}.remove(self.{method})",
        )
    elif key is None and not of_it:
        lines = (f"{name}.discard(self)",)
    elif isinstance(value, ast.Dict) or last_name(getattr(value, "func", None)) == "dict":
        lines = (
            f"for key in [key for key, each in {name}.items() if {known} is self]:",
            f"    del {name}[key]",
        )
    elif key is None:
        lines = (f"{name} -= {{each for each in {name} if {known} is self}}",)
    else:
        lines = (f"{name}[:] = [each for each in {name} if {known} is not self]",)
    yield (Edit(owner.file.path, FIRST, lines, owner.name, "close"), *extra)


def _signed_up(container: str, source: Source) -> str:
    """The only method that `container.append(self.method)` or `add()` puts there, else nothing."""
    names = {
        own_attribute(node.args[0])
        for owner in source.chain
        for node in ast.walk(owner.node)
        if isinstance(node, ast.Call)
        and len(node.args) == 1
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in ("append", "add")
        and ast.unparse(node.func.value) == container
    }
    name = names.pop() if len(names) == 1 else None
    return name if name and source.method(name) else ""


def clear(aim: Clear, source: Source) -> Iterator[Candidate]:
    """Edits with which a container of the instance that grows is emptied. One of a class or of a
    module is left: all instances share it, and what the others have in it is theirs.
    """
    own = re.fullmatch(r"self\.(\w+)((?:\.\w+)*)", aim.chain)
    if own is None or not source.chain or _is_shared(own[1], source):
        yield from hold_weakly(aim.chain, source)
        if aim.chain == KEPT:
            yield from share_logger(source)
        places = [aim.place] if aim.place else made_by(aim.chain.split(".")[-2:-1], source)
        for place in places:
            yield from finish(place, source)
        return
    kept = _at_first(own[1], source) if not own[2] else 0
    if kept is None:
        return
    lines: tuple[str, ...] = (f"del {aim.chain}[{kept}:]" if kept else f"{aim.chain}.clear()",)
    if own[2] and not source.has_at_once(own[1]):
        lines = (f"if {source.held(own[1])} is not None:", f"    {lines[0]}")
    for method in dict.fromkeys((aim.method, "reset", "close")):
        definition = source.method(method)
        owner = definition[0] if definition else source.chain[0]
        yield (Edit(owner.file.path, FIRST, lines, owner.name, method),)


def _is_shared(name: str, source: Source) -> bool:
    """Return True if the body of a class sets the attribute, and no method gives an instance its
    own.
    """
    targets = (
        target
        for owner in source.chain
        for node in owner.node.body
        for target, _ in assignments(node)
    )
    in_class = any(isinstance(target, ast.Name) and target.id == name for target in targets)
    return in_class and not any(True for _ in source.assigned(name))


def _container(chain: str, source: Source) -> tuple[str, ast.expr | None, Candidate] | None:
    """Return a container's name in the environment's own class, the expression that makes it, and
    the import that this takes.
    """
    parts = chain.split(".")
    owner = source.chain[0]
    for file in source.files.values():
        module = file.path.rsplit("/", 1)[-1].removesuffix(".py")
        if module not in parts[:-1]:
            continue
        rest = parts[parts.index(module) + 1 :]
        holder = file.classes.get(rest[0])
        body = holder.body if holder is not None and len(rest) > 1 else file.tree.body
        values = [
            value
            for node in body
            for target, value in assignments(node)
            if isinstance(target, ast.Name) and target.id == rest[-1]
        ]
        if holder is not None and rest[0] in {each.name for each in source.chain} and values:
            return f"{rest[0]}.{rest[-1]}", values[0], ()
        if not values:
            continue
        if file.path == owner.file.path or rest[0] in bound_names(owner.file):
            return ".".join(rest), values[0], ()
        full_name = ".".join(parts[: parts.index(module) + 1])
        line = Edit(owner.file.path, TOP, (f"import {full_name}",))
        return chain, values[0], () if module in bound_names(owner.file) else (line,)
    if parts[0] in ("self", source.class_name) and len(parts) == 2:
        return f"self.{parts[1]}", None, ()
    return None


def call_in_close(aim: CallInClose, source: Source) -> Iterator[Candidate]:
    """Edits with which close() ends what is open."""
    if not source.chain or not aim.statements:
        return
    owner = source.chain[0]
    modules = {statement.partition(".")[0] for statement in aim.statements}
    missing = sorted(modules - bound_names(owner.file) - {"self"})
    statements = [line for each in aim.statements for line in _where_held(each, source)]
    lines = (*(IMPORTS.get(name, f"import {name}") for name in missing), *statements)
    for position in (LAST, FIRST):
        yield (Edit(owner.file.path, position, lines, owner.name, "close"),)
    if aim.statements == (QUIT,):
        yield from close_last_window(source)


def _where_held(statement: str, source: Source) -> tuple[str, ...]:
    """A statement, below a test where it calls a method of an attribute that may be None."""
    own = re.match(r"self\.(\w+)\.", statement)
    if own is None:
        return (statement,)
    return (f"if {source.held(own[1])} is not None:", f"    {statement}")


def _at_first(attribute: str, source: Source) -> int | None:
    """The number of items that a container is made with: a list of messages begins with that of the
    system. None where it is not known, or where they cannot be told from those that came later.
    """
    values = [value for _, value in source.assigned(attribute)]
    lists = [value.elts for value in values if isinstance(value, ast.List) and value.elts]
    starred = any(isinstance(item, ast.Starred) for items in lists for item in items)
    keyed = any(isinstance(each, ast.Set) or getattr(each, "keys", None) for each in values)
    sizes = {len(items) for items in lists}
    return None if starred or keyed or len(sizes) > 1 else max(sizes, default=0)


def cut_cycle(aim: CutCycle, source: Source) -> Iterator[Candidate]:
    """Edits with which close() empties the container that leads back to the instance, or lets go of
    the object that does.
    """
    values = list(source.assigned(aim.attribute))
    if not values:
        return
    owner = source.chain[0]
    is_container = all(isinstance(value, ast.List | ast.Dict | ast.Set) for _, value in values)
    held = source.held(aim.attribute)
    clear = (
        (f"self.{aim.attribute}.clear()",)
        if source.has_at_once(aim.attribute)
        else (f"if {held} is not None:", f"    self.{aim.attribute}.clear()")
    )
    for lines in ([clear] if is_container else []) + [(f"self.{aim.attribute} = None",)]:
        yield (Edit(owner.file.path, LAST, lines, owner.name, "close"),)


def pass_on(aim: PassOn, source: Source) -> Iterator[Candidate]:
    """Edits with which the close() of a wrapper closes what it wraps."""
    owner = source.owner(aim.owner)
    if owner is not None:
        yield (Edit(owner.file.path, LAST, (aim.call,), owner.name, "close"),)


def add_member(aim: Member, source: Source) -> Iterator[Candidate]:
    """Edits that give a class one more member."""
    owner = source.owner(aim.owner)
    if owner is not None:
        yield (Edit(owner.file.path, MEMBER, aim.lines, owner.name),)
