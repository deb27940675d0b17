"""Edits of classes whose instances cannot be copied or pickled, although they say how."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from envdoctor.model.environment_aims import RefusePrivateNames
from envdoctor.model.failure_aims import KeepArguments, MakeAnew
from envdoctor.model.remedy import LAST, TOP, Edit
from envdoctor.remedies.declaring import GETATTR, refuse_private_names
from envdoctor.remedies.source import (
    CONSTRUCTOR,
    Candidate,
    File,
    Function,
    OwningClass,
    Source,
    called,
    last_name,
    names_of_module,
    replaced,
    stored_in,
)

EZ_PICKLE, REDUCE = "EzPickle", "__reduce__"


def keep_arguments(aim: KeepArguments, source: Source) -> Iterator[Candidate]:
    """`EzPickle.__init__(self, path)` at the end of a constructor that hands what it makes of the
    path to the base class, which keeps that.
    """
    made = source.method(CONSTRUCTOR)
    call = _kept_in(aim, source)
    if made is None or call is None or made[1].lineno <= aim.place.line <= _end_of(made[1]):
        return
    owner, method = made
    own = {each.arg for each in ast.walk(method.args) if isinstance(each, ast.arg)}
    if own & set(stored_in(method)) or EZ_PICKLE in map(last_name, ast.walk(method)):
        return
    function = source.files[aim.place.file].text_of(call.func)
    line = f"{function}({', '.join(['self', *_handed_on(method)])})"
    imported = _imported(function, source.files[aim.place.file], owner.file)
    if imported is not None:
        yield (Edit(owner.file.path, LAST, (line,), owner.name, CONSTRUCTOR), *imported)


def _kept_in(aim: KeepArguments, source: Source) -> ast.Call | None:
    """The call `EzPickle.__init__(self, sim)` in a line."""
    nodes = ast.walk(source.statement_at(aim.place) or ast.Pass())
    calls = (node for node in nodes if isinstance(node, ast.Call))
    return next((call for call in calls if _begins_ez_pickle(call.func)), None)


def _begins_ez_pickle(function: ast.expr) -> bool:
    is_attribute = isinstance(function, ast.Attribute) and function.attr == CONSTRUCTOR
    return is_attribute and last_name(getattr(function, "value", None)) == EZ_PICKLE


def _end_of(node: ast.stmt) -> int:
    return node.end_lineno or node.lineno


def _handed_on(method: Function) -> Iterator[str]:
    """The arguments of a constructor, as a call that hands all of them on has them."""
    arguments = method.args
    yield from (each.arg for each in (*arguments.posonlyargs, *arguments.args)[1:])
    yield from (f"*{arguments.vararg.arg}",) if arguments.vararg else ()
    yield from (f"{each.arg}={each.arg}" for each in arguments.kwonlyargs)
    yield from (f"**{arguments.kwarg.arg}",) if arguments.kwarg else ()


def _imported(function: str, there: File, here: File) -> Candidate | None:
    """The edits with which a file has what another one calls EzPickle; None where it cannot."""
    name = function.partition(".")[0]
    if there.path == here.path or there.imported.get(name) == here.imported.get(name, ""):
        return ()
    module, _, last = there.imported.get(name, "").rpartition(".")
    if not module or last != name or name in names_of_module(here):
        return None
    return (Edit(here.path, TOP, (f"from {module} import {name}",)),)


def make_anew(aim: MakeAnew, source: Source) -> Iterator[Candidate]:
    """`return generator_of, (name,), state` for `return generator_of, (name, state), state`, where
    the function takes one argument; also beside wrappers that a copy would ask for attributes which
    it does not have yet.
    """
    file = source.files.get(aim.place.file)
    node = file.classes.get(aim.owner) if file is not None else None
    method = OwningClass(file, node).method(REDUCE) if file is not None and node else None
    if file is None or method is None:
        return
    texts = [pair for each in ast.walk(method) for pair in _without_rest(each, file, source)]
    edits = replaced(file, texts) if len(texts) == 1 else ()
    if edits:
        yield edits
        guards = [edit for each in _handing_on(source) for edit in each]
        yield (*edits, *guards) if guards else ()


def _without_rest(
    node: ast.AST, file: File, source: Source
) -> Iterator[tuple[ast.expr | ast.arg, str]]:
    """The arguments of what __reduce__() returns, and the text of as many as the maker takes."""
    value = node.value if isinstance(node, ast.Return) else None
    parts = value.elts if isinstance(value, ast.Tuple) else []
    arguments = parts[1] if len(parts) > 1 else None
    limit = _most(parts[0], file, source) if isinstance(arguments, ast.Tuple) else None
    if not isinstance(arguments, ast.Tuple) or limit is None or not 0 < limit < len(arguments.elts):
        return
    kept = [file.text_of(each) for each in arguments.elts[:limit]]
    if not any(isinstance(each, ast.Starred) for each in arguments.elts):
        yield arguments, f"({', '.join(kept)}{',' * (limit == 1)})"


def _most(maker: ast.expr, file: File, source: Source) -> int | None:
    """The number of arguments that a function or a class of the user's takes by place."""
    name = last_name(maker)
    functions = [
        node for node in file.tree.body if isinstance(node, ast.FunctionDef) and node.name == name
    ]
    kind = source.owner(name)
    made = kind.method(CONSTRUCTOR) if kind is not None else None
    method = functions[0] if len(functions) == 1 else made
    if method is None or method.args.vararg is not None or method.decorator_list:
        return None
    return len(method.args.posonlyargs) + len(method.args.args) - (method is made)


def _handing_on(source: Source) -> Iterator[Candidate]:
    """The guards of wrappers whose __getattr__() hands on all that it is asked for."""
    for file in source.files.values():
        for name, node in file.classes.items():
            method = OwningClass(file, node).method(GETATTR)
            if method is not None and not any(map(_is_refusing, ast.walk(method))):
                yield from refuse_private_names(RefusePrivateNames(name), source)


def _is_refusing(node: ast.AST) -> bool:
    return isinstance(node, ast.Raise) or called(node) == "startswith"
