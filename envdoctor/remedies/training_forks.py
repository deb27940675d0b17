"""Edits with which processes make the environments that they play, in place of their parent."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator, Sequence

from envdoctor.model.errors import Frame
from envdoctor.model.remedy import BEFORE, INSTEAD, TOP, Edit
from envdoctor.model.training_aims import MendFailure
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
    function_at,
    innermost,
    instead,
    last_name,
    name_of_made,
    names_in,
    names_of_module,
    replaced,
    takes,
    uses,
)
from envdoctor.remedies.training import assigned_at
from envdoctor.remedies.training_workers import target_of

POOL, THREADS = "multiprocessing.Pool", ("multiprocessing.pool", "ThreadPool")
MAPS = ("map", "imap", "imap_unordered", "map_async", "starmap", "starmap_async")


def make_in_process(file: File, aim: MendFailure) -> Candidate:
    """The statements that make an environment, and call its methods, go from above the line that
    starts a process to the function that this runs, if nothing else has the environment.
    """
    place = assigned_at(file, aim.place.line)
    if place is None:
        return _hand_makers(file, aim.place.line)
    scope, block, at = place
    name = name_of_made(block[at])
    moved = [block[at], *_own_calls(block[at + 1 :], name)]
    starting = block[at + len(moved)] if at + len(moved) < len(block) else None
    calls = [each for each in ast.walk(starting or ast.Pass()) if called(each) == "Process"]
    call = calls[0] if len(calls) == 1 else None
    function = _target(file, call) if isinstance(call, ast.Call) else None
    if not isinstance(call, ast.Call) or function is None or not takes(function, name):
        return ()
    if uses(scope, name) != sum(uses(each, name) for each in moved) + 1:
        return ()
    known = names_of_module(file) | {name, *dir(builtins)}
    if not all(set(names_in(each)) <= known for each in moved):
        return ()
    edits = _without(file, call, name)
    head = _head(file, function, name)
    if not edits or not head:
        return ()
    text = tuple(line for each in moved for line in statement_text(file, each))
    first = function.body[1 if ast.get_docstring(function) is not None else 0]
    return (
        head,
        Edit(file.path, BEFORE, text, line=first.lineno),
        *(instead(file, each, ()) for each in moved),
        *edits,
    )


def _own_calls(rest: Sequence[ast.stmt], name: str) -> Iterator[ast.stmt]:
    """The statements that follow at once and call methods of it: `env.reset(seed=0)`."""
    for each in rest:
        value = each.value if isinstance(each, ast.Expr) else None
        function = value.func if isinstance(value, ast.Call) else None
        if not isinstance(function, ast.Attribute) or ast.unparse(function.value) != name:
            return
        yield each


def _target(file: File, call: ast.Call) -> Function | None:
    """The function of the file that a process runs, which nothing else calls."""
    made = target_of(file, call)
    return made if made is not None and uses(file.tree, made.name) == 1 else None


def _without(file: File, call: ast.Call, name: str) -> Candidate:
    """`Process(target=play)` for `Process(target=play, args=(env,))`."""
    arguments = next((each for each in call.keywords if each.arg == "args"), None)
    values = arguments.value.elts if arguments and isinstance(arguments.value, ast.Tuple) else []
    left = [file.text_of(each) for each in values if last_name(each) != name]
    if arguments is None or len(left) != len(values) - 1:
        return ()
    others = [
        *map(file.text_of, call.args),
        *(
            f"{each.arg}={file.text_of(each.value)}"
            for each in call.keywords
            if each is not arguments
        ),
        *([f"args=({', '.join(left)},)"] if left else []),
    ]
    return replaced(file, [(call, f"{file.text_of(call.func)}({', '.join(others)})")])


def _head(file: File, function: Function, name: str) -> Edit | None:
    """The first line of the function without this argument, where it is plain."""
    names = [each.arg for each in function.args.args]
    plain = f"def {function.name}({', '.join(names)}):"
    if file.lines[function.lineno - 1].strip() != plain:
        return None
    left = ", ".join(each for each in names if each != name)
    line = f"def {function.name}({left}):"
    return Edit(file.path, INSTEAD, (line,), line=function.lineno)


def _hand_makers(file: File, line: int) -> Candidate:
    """`envs.append(Arm)` for `envs.append(Arm())`, where an object of a class of the file gets the
    list, keeps what one of it makes, and hands the others to processes, which make theirs.
    """
    statement, scope = innermost(file, line), function_at(file, line)
    call = statement.value if isinstance(statement, ast.Expr) else None
    if called(call) != "append" or not isinstance(call, ast.Call) or scope is None:
        return ()
    made = call.args[0] if len(call.args) == 1 else None
    owners = [
        (file.classes[last_name(node.func)], node.args[0])
        for node in ast.walk(scope)
        if isinstance(node, ast.Call) and last_name(node.func) in file.classes and node.args
        if ast.unparse(node.args[0]) == ast.unparse(call.func).removesuffix(".append")
    ]
    if not isinstance(made, ast.Call) or made.args or made.keywords or len(owners) != 1:
        return ()
    owner, name = owners[0][0], last_name(owners[0][1])
    init = next((n for n in owner.body if getattr(n, "name", "") == CONSTRUCTOR), None)
    if not name or uses(scope, name) != 3 or not isinstance(init, ast.FunctionDef):
        return ()
    takers = _takers(file, init)
    if takers is None:
        return ()
    return (*replaced(file, [(made, file.text_of(made.func))]), *takers)


def hand_classes(aim: MendFailure, source: Source) -> Iterator[Candidate]:
    """`[Arm for _ in range(4)]` for `[Arm() for _ in range(4)]`, where the constructor around a
    line starts a process for each element, which then makes what it plays: an instance cannot be
    sent. A pool that a line gives instances has threads, which play them where they are.
    """
    yield _in_threads(source, aim.place) if aim.kind == "sent" else ()
    around = source.around(aim.place) if aim.kind == "sent" else None
    if (
        around is None
        or around[1].name != CONSTRUCTOR
        or not isinstance(around[1], ast.FunctionDef)
    ):
        return
    takers = _takers(around[0].file, around[1])
    edits: list[Edit] = []
    for file in source.files.values() if takers is not None else ():
        made = [each for each in _elements(file) if called(each) == aim.name]
        texts = [(each, _maker(file, each)) for each in made]
        put = replaced(file, texts)
        if made and not put:
            return
        edits += [*put, *needed(file, (text for _, text in texts))]
    if edits and takers is not None:
        yield (*edits, *takers)


def _in_threads(source: Source, place: Frame) -> Candidate:
    """`multiprocessing.pool.ThreadPool(4)` for `multiprocessing.Pool(4)`, where a line gives that
    what it maps over.
    """
    file, statement = source.files.get(place.file), source.statement_at(place)
    users = {
        last_name(node.func.value)
        for node in ast.walk(statement or ast.Pass())
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
        if node.func.attr in MAPS
    }
    made: list[ast.Call] = []
    for node in ast.walk(file.tree) if file is not None else ():
        pairs = [*assignments(node)]
        for item in getattr(node, "items", ()) if isinstance(node, ast.With) else ():
            pairs += [(item.optional_vars, item.context_expr)]
        made += [
            value
            for target, value in pairs
            if isinstance(value, ast.Call) and last_name(target) in users - {""}
        ]
    if file is None or len(made) != 1 or file.full_name(made[0].func) != POOL or made[0].keywords:
        return ()
    maker, line, text = made[0].func, f"from {THREADS[0]} import {THREADS[1]}", THREADS[1]
    if isinstance(maker, ast.Attribute):
        line, text = f"import {THREADS[0]}", f"{file.text_of(maker.value)}.pool.{THREADS[1]}"
    # `import multiprocessing.pool` also binds the name of the package.
    package = [each for each in file.tree.body if ast.unparse(each) == line.removesuffix(".pool")]
    put = [instead(file, each, (line,)) for each in package] or [Edit(file.path, TOP, (line,))]
    return (*put, *replaced(file, [(maker, text)]))


def _elements(file: File) -> Iterator[ast.expr]:
    """The elements of the lists that a file makes."""
    for each in ast.walk(file.tree):
        if isinstance(each, ast.ListComp):
            yield each.elt
        elif isinstance(each, ast.List):
            yield from each.elts


def _maker(file: File, made: ast.expr) -> str:
    """`Arm` of `Arm()`, and `functools.partial(Arm, 3)` of `Arm(3)`."""
    assert isinstance(made, ast.Call)
    parts = [made.func, *made.args, *(each.value for each in made.keywords)]
    names = ["" for _ in (made.func, *made.args)] + [f"{each.arg}=" for each in made.keywords]
    texts = [f"{name}{file.text_of(part)}" for name, part in zip(names, parts, strict=True)]
    return f"functools.partial({', '.join(texts)})" if len(texts) > 1 else texts[0]


def _takers(file: File, init: ast.FunctionDef) -> Candidate | None:
    """The edits of a constructor with a list of environments, and of the function that it has
    processes run, with which both make them; None where something else is done with the list.
    """
    argument = init.args.args[1].arg if len(init.args.args) > 1 else ""
    subscripts = [
        node
        for node in ast.walk(init)
        if isinstance(node, ast.Subscript) and last_name(node.value) == argument
    ]
    loops = [
        node
        for node in ast.walk(init)
        if isinstance(node, ast.For) and uses(node.iter, argument) and last_name(node.target)
    ]
    kept = [each for each in subscripts if isinstance(each.slice, ast.Constant)]
    if len(loops) != 1 or uses(init, argument) != len(kept) + 1:
        return None
    (loop,) = loops
    name = last_name(loop.target)
    starts = [each for each in ast.walk(loop) if called(each) == "Process"]
    used = sum(uses(each, name) for each in loop.body)
    start = starts[0] if len(starts) == 1 and used == uses(starts[0], name) == 1 else None
    function = _target(file, start) if isinstance(start, ast.Call) else None
    if function is None or not takes(function, name):
        return None
    first = function.body[1 if ast.get_docstring(function) is not None else 0]
    makes_it = any(called(node) == name for node in ast.walk(function))
    made = Edit(file.path, BEFORE, (f"{name} = {name}()",), line=first.lineno)
    return (
        *replaced(file, [(each, f"{file.text_of(each)}()") for each in kept]),
        *(() if makes_it else (made,)),
    )
