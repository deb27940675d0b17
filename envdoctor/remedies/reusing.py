"""Edits with which instances neither replace what they could reset, nor share what is their own."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from envdoctor.model.environment_aims import (
    CloseReplaced,
    MakeEach,
    OwnCounters,
    ReuseInner,
    SharedPlace,
)
from envdoctor.model.remedy import BEFORE, INSTEAD, Edit
from envdoctor.remedies.applying import start_of
from envdoctor.remedies.needing import needed
from envdoctor.remedies.owning import new_attribute
from envdoctor.remedies.removing import is_alone
from envdoctor.remedies.source import (
    CONSTRUCTOR,
    Candidate,
    File,
    OwningClass,
    Source,
    assignments,
    instead,
    last_name,
    name_of_made,
    names_in,
    own_attribute,
    replaced,
    takes,
    uses,
)

INNER, RESET = "env", "reset"
#: Methods in which a class counts its instances, or numbers them.
OF_ALL = (CONSTRUCTOR, "__new__", "__del__", "close")
STARTING = ("init", "start", "open", "setup", "initialize", "boot")
ENDING = ("quit", "close", "stop", "shutdown", "terminate", "uninit", "deinit")
#: What gives back the handle that its counterpart gave.
COUNTERPARTS = {
    "disconnect": "connect",
    "close": "open",
    "destroy": "create",
    "release": "acquire",
    "free": "allocate",
}


def reuse_inner(_aim: ReuseInner, source: Source) -> Iterator[Candidate]:
    """Edits of a wrapper's reset(), which uses the environment that it holds in place of a new one
    of the same arguments.
    """
    for owner, made, statement in _replacing(source):
        if not _is_always_the_same(made, source):
            continue
        name = last_name(statement.value)
        closing = [node for node in ast.walk(_method_around(owner, statement)) if _closes(node)]
        edits = [*replaced(owner.file, [(made, f"self.{INNER}")])]
        edits += [
            instead(owner.file, node, ("pass",) if is_alone(node, owner.file) else ())
            for node in (statement, *closing)
            if isinstance(node, ast.stmt)
        ]
        if name and edits:
            yield tuple(edits)


def _is_always_the_same(made: ast.expr, source: Source) -> bool:
    """Return True for a call that has the same arguments in each episode: constants, and attributes
    that nothing but the constructor sets.
    """
    arguments = (
        [*made.args, *(each.value for each in made.keywords)] if isinstance(made, ast.Call) else []
    )
    later = {
        own_attribute(target)
        for owner in source.chain
        for method in owner.methods.values()
        if method.name != CONSTRUCTOR
        for node in ast.walk(method)
        for target in _set_in(node)
    }
    return all(
        isinstance(each, ast.Constant) or (own_attribute(each) and own_attribute(each) not in later)
        for each in arguments
    )


def _set_in(node: ast.AST) -> Iterator[ast.expr]:
    if isinstance(node, ast.AugAssign):
        yield node.target
    yield from (target for target, _ in assignments(node))


def close_replaced(_aim: CloseReplaced, source: Source) -> Iterator[Candidate]:
    """Edits of a wrapper's reset(), which closes what it holds before another one takes its
    place.
    """
    for owner, _, statement in _replacing(source):
        line = f"self.{INNER}.close()"
        yield (Edit(owner.file.path, BEFORE, (line,), line=statement.lineno),)


def _replacing(source: Source) -> Iterator[tuple[OwningClass, ast.expr, ast.Assign]]:
    """In reset() of a wrapper: the call that makes another environment, and the statement that puts
    it in the place of the one that is there.
    """
    for file in source.files.values():
        for node in file.classes.values():
            owner = OwningClass(file, node)
            method = owner.methods.get(RESET)
            for statement in ast.walk(method) if method else ():
                is_inner = isinstance(statement, ast.Assign) and INNER in map(
                    own_attribute, statement.targets
                )
                if method is None or not is_inner or not isinstance(statement, ast.Assign):
                    continue
                for made in _made_as(statement.value, method):
                    kind = source.class_made_by(made)
                    if kind is not None and source.is_environment(kind):
                        yield owner, made, statement


def _made_as(value: ast.expr, method: ast.AST) -> Iterator[ast.expr]:
    """The call that made a value: itself, or the one that was assigned to its name."""
    if isinstance(value, ast.Call):
        yield value
    for node in ast.walk(method):
        for target, made in assignments(node):
            is_named = isinstance(value, ast.Name) and last_name(target) == value.id
            if is_named and isinstance(made, ast.Call):
                yield made


def _method_around(owner: OwningClass, statement: ast.stmt) -> ast.AST:
    """The method of a class around a statement."""
    return next(
        method
        for method in owner.methods.values()
        if any(node is statement for node in ast.walk(method))
    )


def _closes(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Call)
        and isinstance(node.value.func, ast.Attribute)
        and node.value.func.attr == "close"
        and own_attribute(node.value.func.value) == INNER
    )


def make_each(aim: MakeEach, source: Source) -> Iterator[Candidate]:
    """Edits of a factory that returns what the module made: it makes one in each call."""
    file = source.files.get(aim.place.file)
    for function in file.tree.body if file else ():
        if not isinstance(function, ast.FunctionDef) or function.lineno != aim.place.line:
            continue
        assert file is not None
        for node in ast.walk(function):
            if isinstance(node, ast.Return) and isinstance(node.value, ast.Name):
                yield tuple(_made_in_call(file, node.value))


def _made_in_call(file: File, name: ast.Name) -> Iterator[Edit]:
    made = [node for node in file.tree.body if name_of_made(node) == name.id]
    if len(made) != 1 or made[0].lineno != made[0].end_lineno:
        return
    assert isinstance(made[0], ast.Assign)
    yield from replaced(file, [(name, file.text_of(made[0].value))])
    if uses(file.tree, name.id) == 2:
        after = file.lines[made[0].lineno : made[0].lineno + 1]
        end = made[0].lineno + (after == ("",))
        yield Edit(file.path, INSTEAD, (), line=made[0].lineno, end=end)


def own_counters(_aim: OwnCounters, source: Source) -> Iterator[Candidate]:
    """Edits that keep in the instance what its methods assign to attributes of the class."""
    edits: list[Edit] = []
    for owner in source.chain:
        names = {
            node.attr: None
            for method in owner.methods.values()
            if not method.decorator_list
            for node in _set_on_class(method, owner)
        }
        of_all = {
            node.attr
            for name in OF_ALL
            if name in owner.methods
            for node in _set_on_class(owner.methods[name], owner)
        }
        for name in (each for each in names if each not in of_all):
            edits += new_attribute(owner.name, name, source)
    yield tuple(edits) or tuple(_own_names(source))


def _set_on_class(method: ast.AST, owner: OwningClass) -> Iterator[ast.Attribute]:
    """The attributes of the class that a method sets: `Arm.steps += 1`."""
    for node in ast.walk(method):
        is_set = isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)
        if is_set and isinstance(node, ast.Attribute) and last_name(node.value) == owner.name:
            yield node


def _own_names(source: Source) -> Iterator[Edit]:
    """Edits of methods that use a name of the process, such as that of a file with its number: each
    instance adds its own.
    """
    for owner in source.chain:
        file = owner.file
        names = {
            target.id
            for node in file.tree.body
            for target, value in assignments(node)
            if isinstance(target, ast.Name) and _has_number(value, file)
        }
        texts: list[tuple[ast.expr, str]] = [
            (node, f'f"{{{node.id}}}-{{os.getpid()}}-{{id(self)}}"')
            for method in owner.methods.values()
            if not method.decorator_list
            for node in ast.walk(method)
            if isinstance(node, ast.Name) and node.id in names
        ]
        used = [name for name in names_in(file.tree) if name in names]
        edits = replaced(file, texts) if len(used) == len(texts) + len(names) else ()
        yield from (*edits, *needed(file, ["os."])) if edits else ()


def _has_number(value: ast.expr, file: File) -> bool:
    """Return True for a text with the number of the process in it."""
    return any(
        isinstance(node, ast.Call) and file.full_name(node.func) == "os.getpid"
        for node in ast.walk(value)
        if not isinstance(value, ast.Call) or last_name(value.func) != "getpid"
    )


def count_users(place: SharedPlace, source: Source) -> Candidate:
    """Edits with which close() ends what a module keeps once the last instance that uses it is
    closed: those that started it are counted.
    """
    name, close = place.name.rpartition(".")[2], source.method("close")
    if close is None or not name:
        return ()
    owner, method = close
    file, users = owner.file, f"{name.upper()}_USERS"
    ends = [node for node in ast.walk(method) if _calls(node, name, ENDING)]
    starts = [
        node
        for each in source.chain
        for other in each.methods.values()
        if each.file.path == file.path and other.name not in ("close", CONSTRUCTOR)
        for node in ast.walk(other)
        if _calls(node, name, STARTING)
    ]
    if len(ends) != 1 or not starts or uses(file.tree, users):
        return ()
    made = (f"{users} = weakref.WeakSet()  # open instances", "", "")
    edits = [Edit(file.path, BEFORE, made, line=start_of(owner.node))]
    for node in starts:
        assert isinstance(node, ast.stmt)
        edits.append(instead(file, node, (file.text_of(node), f"{users}.add(self)")))
    (end,) = ends
    assert isinstance(end, ast.stmt)
    last = (f"{users}.discard(self)", f"if not {users}:", f"    {file.text_of(end)}")
    return (*edits, instead(file, end, last), *needed(file, made))


def _calls(node: ast.AST, name: str, methods: tuple[str, ...]) -> bool:
    """Return True for the statement `name.method()`."""
    call = node.value if isinstance(node, ast.Expr) else None
    return (
        isinstance(call, ast.Call)
        and isinstance(call.func, ast.Attribute)
        and isinstance(call.func.value, ast.Name)
        and call.func.value.id == name
        and call.func.attr in methods
        and not (call.args or call.keywords)
    )


def own_handle(source: Source) -> Candidate:
    """Edits with which close() gives back the handle of its instance: `disconnect(self.client)`
    where it was `disconnect()`, and `self.client` is what connect() returned.
    """
    close = source.method("close")
    if close is None:
        return ()
    owner, method = close
    texts: list[tuple[ast.expr, str]] = []
    for node in ast.walk(method):
        if not isinstance(node, ast.Call) or node.args or node.keywords:
            continue
        text = owner.file.text_of(node.func)
        texts += [(node, f"{text}(self.{name})") for name in _handles(node, owner, source)]
    return replaced(owner.file, texts) if len(texts) == 1 else ()


def _handles(call: ast.Call, owner: OwningClass, source: Source) -> Iterator[str]:
    """The attributes that hold what the counterpart of a call returned."""
    module, _, function = owner.file.full_name(call.func).rpartition(".")
    giving = COUNTERPARTS.get(function, "")
    definition = next(
        (
            node
            for node in owner.file.tree.body
            if isinstance(node, ast.FunctionDef) and node.name == function
        ),
        None,
    )
    if not giving or (not module and (definition is None or not definition.args.args)):
        return
    for each in source.chain:
        for node in ast.walk(each.node):
            for target, value in assignments(node):
                made = each.file.full_name(value.func) if isinstance(value, ast.Call) else ""
                name = own_attribute(target)
                accepts = definition is None or takes(definition, name)
                if name and made == f"{module}.{giving}".lstrip(".") and accepts:
                    yield name
