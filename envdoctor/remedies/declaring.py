"""Edits of what is declared: the arguments of a method, and where an id is registered."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator

from envdoctor.discovery.syntax import argument
from envdoctor.model.environment_aims import (
    CopyWhole,
    DeclareSpace,
    DefineAtTop,
    GiveDefaults,
    KeepSpace,
    LookUp,
    RefusePrivateNames,
)
from envdoctor.model.failure_aims import TakeSpaces
from envdoctor.model.remedy import BEFORE, FIRST, INSTEAD, LAST, MEMBER, TOP, Edit
from envdoctor.model.training_aims import MoveAboveGuard
from envdoctor.remedies.applying import statement_text
from envdoctor.remedies.needing import needed
from envdoctor.remedies.source import (
    CONSTRUCTOR,
    Candidate,
    File,
    Function,
    Source,
    assignments,
    called,
    instead,
    last_name,
    name_of_made,
    names_of_module,
    own_attribute,
    replaced,
    stored_in,
    uses,
    without_gap,
)

GETATTR = "__getattr__"
STATES = ("__deepcopy__", "__reduce__", "__reduce_ex__", "__getstate__", "__setstate__")
SPACE = "observation_space"
SPACES = (SPACE, "action_space")
NUMPY = "numpy"


def give_defaults(aim: GiveDefaults, source: Source) -> Iterator[Candidate]:
    """Edits that give the arguments of a method, which have none, the default None."""
    definition = source.method(aim.method)
    if definition is None:
        return
    owner, method = definition
    arguments = method.args
    plain = [*arguments.posonlyargs, *arguments.args]
    without = plain[1 : len(plain) - len(arguments.defaults)]
    without += [
        argument
        for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
        if default is None
    ]
    yield replaced(owner.file, [(each, _with_default(each, owner.file)) for each in without])


def _with_default(argument: ast.arg, file: File) -> str:
    equals = " = " if argument.annotation else "="
    return f"{file.text_of(argument)}{equals}None"


def refuse_private_names(aim: RefusePrivateNames, source: Source) -> Iterator[Candidate]:
    """Edits with which __getattr__() does not hand on what copy and pickle ask for."""
    owner = source.owner(aim.owner)
    method = owner.methods.get(GETATTR) if owner is not None else None
    if owner is None or method is None or len(method.args.args) < 2:
        return
    name = method.args.args[1].arg
    lines = (f'if {name}.startswith("__"):', f"    raise AttributeError({name})")
    yield (Edit(owner.file.path, FIRST, lines, owner.name, method.name),)


def copy_whole(_aim: CopyWhole, source: Source) -> Iterator[Candidate]:
    """Edits of a class whose copies EzPickle makes by the constructor: they get what reset() and
    step() have set.
    """
    bases = {last_name(base) for owner in source.chain for base in owner.node.bases}
    own = {name for owner in source.chain for name in owner.methods}
    if "EzPickle" in bases and own.isdisjoint(STATES):
        owner = source.chain[0]
        lines = (
            "def __getstate__(self):",
            "    return self.__dict__.copy()",
            "",
            "def __setstate__(self, state):",
            "    self.__dict__.update(state)",
        )
        yield (Edit(owner.file.path, MEMBER, lines, owner.name),)


def look_up(aim: LookUp, source: Source) -> Iterator[Candidate]:
    """Edits of `register(..., kwargs={"reward": sparse})` where `REWARDS = {"sparse": sparse}`, and
    the constructor asks for `REWARDS[reward]`.
    """
    for owner in source.chain[:1]:
        made = owner.methods.get(CONSTRUCTOR)
        for node in owner.file.tree.body if made else ():
            for target, table in assignments(node):
                known = {last_name(value): key for key, value in _values(table) if last_name(value)}
                if made and _asks(made, last_name(target), aim.argument):
                    texts = [
                        (value, f'"{known[last_name(value)]}"')
                        for call in ast.walk(owner.file.tree)
                        if isinstance(call, ast.Call) and called(call) == "register"
                        for key, value in _values(argument(call, "kwargs"))
                        if key == aim.argument and last_name(value) in known
                    ]
                    yield replaced(owner.file, texts)


def _values(table: ast.expr | None) -> Iterator[tuple[str, ast.expr]]:
    """Yield the keys of a dict that are texts, and its values."""
    if isinstance(table, ast.Dict):
        for key, value in zip(table.keys, table.values, strict=True):
            if isinstance(key, ast.Constant) and isinstance(key.value, str):
                yield key.value, value


def _asks(method: Function, table: str, name: str) -> bool:
    """Return True for `TABLE[name]`, and for `TABLE.get(name, ...)`."""
    for node in ast.walk(method):
        function = node.func if isinstance(node, ast.Call) else None
        if isinstance(node, ast.Subscript) and last_name(node.value) == table:
            if last_name(node.slice) == name:
                return True
        elif isinstance(function, ast.Attribute) and function.attr == "get":
            assert isinstance(node, ast.Call)
            if last_name(function.value) == table and last_name(node.args[0]) == name:
                return True
    return False


def declare_space(aim: DeclareSpace, source: Source) -> Iterator[Candidate]:
    """Edits with which the constructor of a wrapper declares the observations that it returns: of
    the same shape, another dtype, and without bounds.
    """
    owner = source.owner(aim.owner)
    if owner is None or not aim.dtype.startswith("float"):
        return
    if any(own_attribute(node) == SPACE for node in ast.walk(owner.node)):
        return
    names = {full_name: name for name, full_name in owner.file.imported.items()}
    package = names.get(source.framework.package, "")
    numpy = names.get(NUMPY, "np")
    if not package:
        return
    kind = f"{package}.spaces.Box"
    lines = (
        f"shape = self.env.{SPACE}.shape",
        f"self.{SPACE} = {kind}(-{numpy}.inf, {numpy}.inf, shape, {numpy}.{aim.dtype})",
    )
    imports = () if NUMPY in names else (Edit(owner.file.path, TOP, ("import numpy as np",)),)
    yield (Edit(owner.file.path, LAST, lines, owner.name, CONSTRUCTOR), *imports)


def keep_space(aim: KeepSpace, source: Source) -> Iterator[Candidate]:
    """Edits with which a property makes its space at the first access, and keeps it."""
    owner, method = source.method(aim.name) or (None, None)
    if owner is None or method is None or len(method.decorator_list) != 1:
        return
    (decorator,) = method.decorator_list
    if ast.unparse(decorator) == "property":
        lines = ("@functools.cached_property",)
        line = decorator.lineno
        yield (
            Edit(owner.file.path, INSTEAD, lines, line=line, end=line),
            *needed(owner.file, lines),
        )


def define_at_top(aim: DefineAtTop, source: Source) -> Iterator[Candidate]:
    """`_lock = Lock()` and `def make(): return Arm(_lock)` for `make = factory_with(Lock())`:
    pickle finds a function of a module by its name, and needs nothing of what it uses.
    """
    for file in source.files.values():
        for node in file.tree.body:
            call = node.value if isinstance(node, ast.Assign) else None
            if not isinstance(call, ast.Call) or name_of_made(node) != aim.name:
                continue
            makers = [each for each in file.tree.body if getattr(each, "name", "") == called(call)]
            maker = makers[0] if len(makers) == 1 else None
            lines = _at_top(file, maker, call, aim.name) if maker is not None else ()
            others = (each for each in source.files.values() if each is not file)
            is_used = any(called(call) in each.text for each in others)
            if maker and lines and uses(file.tree, called(call)) == 1 and not is_used:
                yield (instead(file, maker, lines), without_gap(file, node))
            elif lines:
                yield (instead(file, node, lines),)


def _at_top(file: File, maker: ast.stmt, call: ast.Call, name: str) -> tuple[str, ...]:
    """The lines that give names of the module to the values of a call, and define what the function
    that is called makes with them; nothing where that does more, or has comments.
    """
    if not isinstance(maker, ast.FunctionDef) or call.keywords or len(maker.body) != 2:
        return ()
    inner, result = maker.body
    names = {each.arg: f"_{each.arg}" for each in maker.args.args}
    is_made = isinstance(inner, ast.FunctionDef) and isinstance(result, ast.Return)
    if not is_made or not isinstance(inner, ast.FunctionDef) or "#" in file.text_of(maker):
        return ()
    returned = last_name(getattr(result, "value", None))
    own = {each.arg for each in ast.walk(inner.args) if isinstance(each, ast.arg)}
    known = names_of_module(file) | own | set(stored_in(inner))
    if returned != inner.name or len(names) != len(call.args) or not names:
        return ()
    if not known.isdisjoint((*names, *names.values())):
        return ()
    made = copy.deepcopy(inner)
    made.name = name
    for each in ast.walk(made):
        if isinstance(each, ast.Name):
            each.id = names.get(each.id, each.id)
    pairs = zip(names.values(), map(file.text_of, call.args), strict=True)
    return (*(f"{own} = {text}" for own, text in pairs), "", "", *ast.unparse(made).split("\n"))


def take_spaces(_aim: TakeSpaces, source: Source) -> Iterator[Candidate]:
    """Edits of `self.action_space = env.unwrapped.action_space`: what is played has the spaces of
    its wrappers, `env.action_space`.
    """
    for owner in source.chain:
        yield replaced(
            owner.file,
            [
                (value, f"{owner.file.text_of(value.value.value)}.{value.attr}")
                for node in ast.walk(owner.node)
                for target, value in assignments(node)
                if own_attribute(target) in SPACES and isinstance(value, ast.Attribute)
                if value.attr == own_attribute(target) and isinstance(value.value, ast.Attribute)
                if value.value.attr == "unwrapped"
            ],
        )


def move_above_guard(aim: MoveAboveGuard, source: Source) -> Iterator[Candidate]:
    """Edits that move a statement from below the guard of a script to the place above it."""
    file = source.files.get(aim.place.file)
    statement = source.statement_at(aim.place)
    guard = _guard_of(statement, file) if file and statement else None
    if file is None or statement is None or guard is None:
        return
    end = statement.end_lineno or statement.lineno
    lines = ("pass",) if guard.body == [statement] else ()
    yield (
        Edit(file.path, BEFORE, (*statement_text(file, statement), ""), line=guard.lineno),
        Edit(file.path, INSTEAD, lines, line=statement.lineno, end=end),
    )


def _guard_of(statement: ast.stmt, file: File) -> ast.If | None:
    """The `if __name__ == "__main__":` in whose body a statement stands."""
    return next(
        (
            node
            for node in file.tree.body
            if isinstance(node, ast.If)
            and statement in node.body
            and ast.unparse(node.test) in ("__name__ == '__main__'", "'__main__' == __name__")
        ),
        None,
    )
