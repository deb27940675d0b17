"""Edits of the factories that a training script gives its vectorizer, with which each makes an
instance with a seed and a generator of its own.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

from envdoctor.model.errors import Frame
from envdoctor.model.remedy import INSTEAD, Edit
from envdoctor.model.training_aims import BindLate, MakeHosted, OwnFiles, SpreadSeeds
from envdoctor.remedies.source import (
    Candidate,
    File,
    Function,
    Source,
    called,
    function_at,
    last_name,
    name_of_made,
    names_in,
    removed,
    replaced,
    uses,
)
from envdoctor.remedies.training import place_of_made

SEED_STEP = 1000  # the seeds of two vectorizers
VECTORIZER = re.compile(r"[Vv]ec|Parallel|Serial|Subproc|Dummy|Manager")
_LOOPS = (ast.For, ast.AsyncFor)


def bind_late(aim: BindLate, source: Source) -> Iterator[Candidate]:
    """Edits with which each factory of a loop keeps the value that its variable has when it is
    made: `lambda index=index: make(index)`; else those that add it to the one seed of all of them,
    or with which each makes an instance of its own.
    """
    file = source.files.get(aim.place.file)
    if file is None:
        return
    for find in (_bound, _seeded, _made_each):
        if edits := tuple(find(file)):
            yield edits
    yield _by_vectorizer(file, aim.place.line)
    yield _constructed(aim.place, source)


def spread_seeds(aim: SpreadSeeds, source: Source) -> Iterator[Candidate]:
    """Edits of a line that makes a vectorizer: `seed=1000 * seed`. A plain number is the same for
    all, and stays.
    """
    file, statement = source.files.get(aim.place.file), source.statement_at(aim.place)
    if file is None or statement is None:
        return
    seeds = [
        node.value
        for node in ast.walk(statement)
        if isinstance(node, ast.keyword) and node.arg == "seed" and names_in(node.value)
    ]
    texts = [(each, f"{SEED_STEP} * {_operand(file, each)}") for each in seeds]
    yield replaced(file, texts)


def _operand(file: File, node: ast.expr) -> str:
    text = file.text_of(node)
    return text if isinstance(node, ast.Name | ast.Attribute) else f"({text})"


def _bound(file: File) -> Iterator[Edit]:
    for node in ast.walk(file.tree):
        if isinstance(node, ast.ListComp | ast.DictComp) and len(node.generators) == 1:
            made = node.elt if isinstance(node, ast.ListComp) else node.value
            names = names_in(node.generators[0].target)
            if isinstance(made, ast.Lambda) and (late := _late(made, names)):
                yield _with_default(file, made, late)
        elif isinstance(node, _LOOPS):
            names = names_in(node.target)
            for each in _added(node):
                if late := _late(each, names):
                    yield _with_default(file, each, late)


def _seeded(file: File) -> Iterator[Edit]:
    """`AsyncVectorEnv([lambda: make(seed=3) for _ in range(8)])`, on one line."""
    for node in ast.walk(file.tree):
        is_vectorizer = isinstance(node, ast.Call) and VECTORIZER.search(last_name(node.func))
        for each in node.args[:2] if isinstance(node, ast.Call) and is_vectorizer else ():
            if isinstance(each, ast.ListComp) and isinstance(each.elt, ast.Lambda):
                yield from _with_rank(file, each, each.elt)


def _with_rank(file: File, each: ast.ListComp, made: ast.Lambda) -> Iterator[Edit]:
    loop, seeds = each.generators[0], list(_seeds_in(made))
    name = loop.target.id if isinstance(loop.target, ast.Name) else ""
    counts = isinstance(loop.iter, ast.Call) and last_name(loop.iter.func) == "range"
    if not (name and counts and len(seeds) == 1 and len(each.generators) == 1):
        return
    rank = "rank" if name == "_" else name
    is_used = rank != name and uses(file.tree, rank)
    if (
        is_used
        or not _takes_nothing(made)
        or each.lineno != each.end_lineno
        or uses(made.body, name)
    ):
        return
    line = file.lines[each.lineno - 1].encode()
    parts = (
        (loop.target.col_offset, loop.target.end_col_offset or 0, rank),
        (seeds[0].end_col_offset or 0, seeds[0].end_col_offset or 0, f" + {rank}"),
        (made.col_offset, made.col_offset + len("lambda"), f"lambda {rank}={rank}"),
    )
    for first, end, text in parts:  # from the right to the left
        line = line[:first] + text.encode() + line[end:]
    yield Edit(file.path, INSTEAD, (line.decode().strip(),), line=each.lineno)


def _made_each(file: File) -> Iterator[Edit]:
    """`[lambda: Arm() for _ in range(4)]` for `[lambda: env for _ in range(4)]`."""
    factories = list(_factories(file.tree))
    assigned = [node for node in ast.walk(file.tree) if isinstance(node, ast.Assign)]
    for name in sorted({name for made in factories for name in names_in(made.body)}):
        bodies = [made.body for made in factories if ast.unparse(made.body) == name]
        values = [node for node in assigned if name_of_made(node) == name]
        if not bodies or len(values) != 1 or values[0].lineno != values[0].end_lineno:
            continue
        text = file.text_of(values[0].value)
        yield from replaced(file, [(body, text) for body in bodies])
        if uses(file.tree, name) == len(bodies) + 1:
            yield Edit(file.path, INSTEAD, (), line=values[0].lineno, end=values[0].lineno)


def _by_vectorizer(file: File, line: int) -> Candidate:
    """`envs.reset(seed=3)` gives each instance a seed of its own, and the function that makes them
    none: `env.reset(seed=3)`.
    """
    factory = next((node for node in file.tree.body if _is_around(node, line)), None)
    if not isinstance(factory, ast.FunctionDef):
        return ()
    resets = [each for each in factory.body if ast.unparse(each).partition("(")[0][-6:] == ".reset"]
    seeds = [
        word.value
        for each in resets
        if isinstance(each, ast.Expr) and isinstance(each.value, ast.Call) and not each.value.args
        for word in each.value.keywords
        if word.arg == "seed" and isinstance(word.value, ast.Constant)
    ]
    names = [
        name_of_made(node)
        for node in ast.walk(file.tree)
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call)
        if VECTORIZER.search(last_name(node.value.func)) and uses(node.value, factory.name)
    ]
    calls = [
        node
        for node in ast.walk(file.tree)
        if isinstance(node, ast.Call) and ast.unparse(node) in {f"{name}.reset()" for name in names}
    ]
    if not len(resets) == len(seeds) == len(names) == len(calls) == 1:
        return ()
    call = f"{names[0]}.reset(seed={file.text_of(seeds[0])})"
    return (removed(file, resets[0]), *replaced(file, [(calls[0], call)]))


def _constructed(place: Frame, source: Source) -> Candidate:
    """`lambda: type(self)()` for `lambda: copy.deepcopy(self)`, where each call of the class is
    without arguments.
    """
    around = source.around(place)
    if around is None:
        return ()
    owner, method = around
    calls = [
        node
        for file in source.files.values()
        for node in ast.walk(file.tree)
        if isinstance(node, ast.Call) and last_name(node.func) == owner.name
    ]
    bodies = [each.body for each in _factories(method)]
    copies = [body for body in bodies if owner.file.text_of(body) == "copy.deepcopy(self)"]
    if not calls or any(each.args or each.keywords for each in calls):
        return ()
    return replaced(owner.file, [(each, "type(self)()") for each in copies])


def _is_around(node: ast.stmt, line: int) -> bool:
    return node.lineno <= line <= (node.end_lineno or node.lineno)


def own_files(aim: OwnFiles, source: Source) -> Iterator[Candidate]:
    """Edits of `[lambda: Monitor(make(), "monitor.csv") for _ in range(2)]`, with which the file is
    `f"{rank}.monitor.csv"`; else of the function around a line that such a list calls with a rank.
    """
    file = source.files.get(aim.place.file)
    for node in ast.walk(file.tree) if file is not None else ():
        if isinstance(node, ast.ListComp) and node.lineno <= aim.place.line <= (
            node.end_lineno or 0
        ):
            assert file is not None
            yield _with_file(file, node, aim.name)
    function = function_at(file, aim.place.line) if file is not None else None
    rank = _rank_of(file, function) if file is not None and function is not None else ""
    if file is not None and function is not None and rank:
        path, text = _own_path(file, function, aim.name, rank)
        yield replaced(file, [(path, text)]) if path is not None else ()


def _rank_of(file: File, function: Function) -> str:
    """The argument `r` of a function that a list calls: `[make(r) for r in range(4)]`."""
    names = [each.arg for each in function.args.args]
    for each in (node for node in ast.walk(file.tree) if isinstance(node, ast.ListComp)):
        call, target = each.elt, last_name(each.generators[0].target)
        if isinstance(call, ast.Call) and called(call) == function.name and _counts(each):
            ranks = zip(names, map(last_name, call.args), strict=False)
            return next((name for name, value in ranks if value == target), "")
    return ""


def _counts(each: ast.ListComp) -> bool:
    return called(each.generators[0].iter) == "range" and len(each.generators) == 1


def _own_path(file: File, code: ast.AST, name: str, rank: str) -> tuple[ast.expr | None, str]:
    """The one text in the code that is the path of a file, and that of the file of a rank."""
    paths = [
        node
        for node in ast.walk(code)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
        if re.split(r"[/\\]", node.value)[-1] == name
    ]
    before = file.text_of(paths[0]) if len(paths) == 1 else ""
    if not before or before[1:-1] != paths[0].value or "{" in before:
        return None, ""
    return paths[0], f"f{before[: -len(name) - 1]}{{{rank}}}.{name}{before[-1]}"


def _with_file(file: File, each: ast.ListComp, name: str) -> Candidate:
    made, target = each.elt, each.generators[0].target
    if not (isinstance(made, ast.Lambda) and isinstance(target, ast.Name) and _counts(each)):
        return ()
    rank = "rank" if target.id == "_" else target.id
    path, after = _own_path(file, made.body, name, rank)
    if path is None or uses(made.body, rank) or not _takes_nothing(made):
        return ()
    if each.lineno != each.end_lineno:
        return ()
    text = file.text_of(made).replace(file.text_of(path), after, 1)
    bound = f"lambda {rank}={rank}{text.removeprefix('lambda')}"
    return replaced(file, [(made, bound), (target, rank)])


def _factories(code: ast.AST) -> Iterator[ast.Lambda]:
    """The functions without arguments that lists are made of."""
    for node in ast.walk(code):
        parts = node.elts if isinstance(node, ast.List) else []
        parts = [node.elt] if isinstance(node, ast.ListComp) else parts
        yield from (each for each in parts if isinstance(each, ast.Lambda) and _takes_nothing(each))


def _seeds_in(made: ast.Lambda) -> Iterator[ast.expr]:
    """The values that a factory gives as a seed."""
    for node in ast.walk(made.body):
        if isinstance(node, ast.keyword) and node.arg == "seed":
            plain = isinstance(node.value, ast.Name | ast.Attribute)
            if plain or (isinstance(node.value, ast.Constant) and type(node.value.value) is int):
                yield node.value


def _takes_nothing(made: ast.Lambda) -> bool:
    every = made.args
    return not (every.args or every.posonlyargs or every.kwonlyargs or every.vararg or every.kwarg)


def _added(loop: ast.For | ast.AsyncFor) -> Iterator[ast.Lambda]:
    """The lambdas that the body of a loop adds to a list."""
    for node in ast.walk(loop):
        if isinstance(node, ast.Call) and last_name(node.func) == "append":
            yield from (each for each in node.args[:1] if isinstance(each, ast.Lambda))


def _late(made: ast.Lambda, names: Sequence[str]) -> list[str]:
    """The variables of the loop that a factory without arguments looks up when it is called."""
    return [name for name in names if uses(made.body, name) and _takes_nothing(made)]


def _with_default(file: File, made: ast.Lambda, names: Sequence[str]) -> Edit:
    line = file.lines[made.lineno - 1].encode()
    at = made.col_offset + len("lambda")
    bound = ", ".join(f"{name}={name}" for name in names).encode()
    text = (line[:at] + b" " + bound + line[at:]).decode().strip()
    return Edit(file.path, INSTEAD, (text,), line=made.lineno)


def make_hosted(aim: MakeHosted, source: Source) -> Iterator[Candidate]:
    """`lambda: Arm(size)` for `lambda: env`, where `env = Arm(size)`: each call makes one. The line
    that made it goes where nothing else uses it.
    """
    file = source.files.get(aim.place.file)
    place = place_of_made(file, aim.place.line) if file else None
    made = place[1][place[2]] if place else None
    if file is None or place is None or not isinstance(made, ast.Assign):
        return
    name, scope = name_of_made(made), place[0]
    lambdas = [node for node in ast.walk(scope) if isinstance(node, ast.Lambda)]
    inside = [
        each
        for node in lambdas
        for each in ast.walk(node.body)
        if isinstance(each, ast.Name) and each.id == name
    ]
    text = file.text_of(made.value)
    edits = replaced(file, [(each, text) for each in inside])
    is_alone = uses(scope, name) == len(inside) + 1 and edits
    if edits:
        yield (*edits, removed(file, made)) if is_alone else edits
