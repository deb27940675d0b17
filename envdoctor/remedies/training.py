"""Edits that let a training script close what it makes, and bind the variables of its factories:
sets of edits, the best first. Code is proposed only if the text alone shows it to be harmless.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from envdoctor.model.remedy import INSTEAD, BindLate, CloseMade, Edit
from envdoctor.remedies.applying import STEP
from envdoctor.remedies.source import File, Source, last_name

Candidate = tuple[Edit, ...]

_DEFINES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_GIVING = (ast.Return, ast.Yield, ast.YieldFrom, ast.AnnAssign, ast.AugAssign, ast.NamedExpr)
DATA = ("action_space", "observation_space", "spec", "metadata", "num_envs", "reward_range")
MAKING = ("make", "wrap", "create", "build", "get", "prepare", "setup", "init", "load")
KEEPING = ("set", "add", "append", "put", "register", "insert", "extend", "update")
VECTORIZER = re.compile(r"[Vv]ec|Parallel|Serial|Subproc|Dummy|Manager")
_LOOPS = (ast.For, ast.AsyncFor)


def close_made(aim: CloseMade, source: Source) -> Iterator[Candidate]:
    """Edits with which the script closes what a line makes, where the block of that line ends."""
    file = source.files.get(aim.place.file)
    place = _assignment(file, aim.place.line) if file else None
    if file is None or place is None:
        return
    scope, block, at = place
    name = _name(block[at])
    rest = block[_last_wrapping(block, at, name) + 1 :]
    if not rest or _leaves(scope, block, rest, name) or not _can_be_indented(file, rest):
        return
    first, last = rest[0], rest[-1]
    end = last.end_lineno or last.lineno
    column = first.col_offset
    lines = tuple(f"{STEP}{line[column:]}" for line in file.lines[first.lineno - 1 : end])
    text = ("try:", *lines, "finally:", f"{STEP}{name}.close()")
    yield (Edit(file.path, INSTEAD, text, line=first.lineno, end=end),)


def _assignment(file: File, line: int) -> tuple[ast.AST, list[ast.stmt], int] | None:
    """The scope, the block and the place in it of a line that gives one name to what it makes."""
    for scope in (file.tree, *(node for node in ast.walk(file.tree) if isinstance(node, _SCOPES))):
        for block in _blocks(scope):
            for at, node in enumerate(block):
                if node.lineno <= line <= (node.end_lineno or 0) and _name(node):
                    return scope, block, at
    return None


def _blocks(scope: ast.AST) -> Iterator[list[ast.stmt]]:
    """The blocks of a scope, without those of the functions and classes in it."""
    waiting = [scope]
    while waiting:
        node = waiting.pop()
        for _, value in ast.iter_fields(node):
            if isinstance(value, list) and value and isinstance(value[0], ast.stmt):
                yield value
        waiting += [
            child
            for child in ast.iter_child_nodes(node)
            if not isinstance(child, (*_SCOPES, ast.ClassDef))
        ]


def _name(node: ast.stmt) -> str:
    """`env` of `env = make()`."""
    if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.Call):
        return ""
    target = node.targets[0]
    return target.id if len(node.targets) == 1 and isinstance(target, ast.Name) else ""


def _last_wrapping(block: Sequence[ast.stmt], at: int, name: str) -> int:
    """The place of the last statement that follows at once and wraps it: `env = Limit(env)`."""
    while at + 1 < len(block) and _name(block[at + 1]) == name and _uses(block[at + 1], name) > 1:
        at += 1
    return at


def _uses(node: ast.AST, name: str) -> int:
    return sum(isinstance(each, ast.Name) and each.id == name for each in ast.walk(node))


def _leaves(scope: ast.AST, block: Sequence[ast.stmt], rest: Sequence[ast.stmt], name: str) -> bool:
    """Return True if the value of the name may be used after its block, or is closed there
    already.
    """
    nodes = [node for statement in rest for node in ast.walk(statement)]
    made = _made_of(name, nodes)
    outside = any(_uses(scope, each) > sum(_uses(node, each) for node in block) for each in made)
    declared = (
        node.names for node in ast.walk(scope) if isinstance(node, ast.Global | ast.Nonlocal)
    )
    given_away = any(_gives_away(scope, node, name, made) for node in nodes)
    return outside or given_away or any(name in names for names in declared)


def _made_of(name: str, nodes: Sequence[ast.AST]) -> set[str]:
    """The name, and those that are made with it: a model that was given the environment."""
    made: set[str] = set()
    more = {name}
    while more > made:
        made, more = more, set(more)
        for node in nodes:
            if isinstance(node, ast.Assign) and _holds(node.value, made):
                more |= {name for target in node.targets for name in _names_in(target)}
    return made


def _holds(node: ast.AST, made: set[str]) -> bool:
    """Return True if the value of an expression may be one of these, or have it. Results of its
    methods are data; so are those of a function that is not named as one that makes something.
    """
    if isinstance(node, ast.Name):
        return node.id in made
    if isinstance(node, ast.Attribute):
        return node.attr not in DATA and _holds(node.value, made)
    if isinstance(node, ast.Call):
        name = last_name(node.func).lstrip("_")
        makes = name[:1].isupper() or name.startswith(MAKING)
        return makes and any(_holds(each, made) for each in (*node.args, *node.keywords))
    return any(_holds(child, made) for child in ast.iter_child_nodes(node))


def _gives_away(scope: ast.AST, node: ast.AST, name: str, made: set[str]) -> bool:
    """Return True if a part of the block ends it, binds its name anew, or keeps it for later."""
    if isinstance(node, ast.Name):
        return node.id == name and not isinstance(node.ctx, ast.Load)
    if isinstance(node, ast.Attribute):
        return last_name(node.value) == name and node.attr in ("close", "__exit__")
    if isinstance(node, ast.With | ast.AsyncWith):
        return any(_uses(item.context_expr, name) for item in node.items)
    if isinstance(node, _SCOPES):
        return any(_uses(node, each) for each in made)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        holds = any(_holds(each, made) for each in (*node.args, *node.keywords))
        return holds and node.func.attr.startswith(KEEPING) and _is_read(scope, node.func.value)
    value = getattr(node, "value", None)
    if not isinstance(value, ast.expr) or not _holds(value, made):
        return False
    if isinstance(node, ast.Assign):
        parts = (part for target in node.targets for part in ast.walk(target))
        return any(isinstance(part, ast.Attribute | ast.Subscript) for part in parts)
    return isinstance(node, _GIVING)


def _is_read(scope: ast.AST, holder: ast.expr) -> bool:
    """Return True if the container that something is added to may be used: all but a list of a
    function that is only added to.
    """
    if not isinstance(holder, ast.Name) or not isinstance(scope, ast.FunctionDef):
        return True
    plain = 0
    for node in ast.walk(scope):
        if (
            isinstance(node, ast.Assign)
            and isinstance(node.value, ast.List)
            and not node.value.elts
        ):
            plain += [ast.unparse(target) for target in node.targets] == [holder.id]
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            plain += ast.unparse(node.value.func) == f"{holder.id}.append"
    is_argument = holder.id in {each.arg for each in ast.walk(scope) if isinstance(each, ast.arg)}
    return is_argument or _uses(scope, holder.id) != plain


def _can_be_indented(file: File, rest: Sequence[ast.stmt]) -> bool:
    """Return True if the text means the same further to the right: no string goes over several
    lines, no statement shares its line, and nothing is defined.
    """
    nodes = [node for statement in rest for node in ast.walk(statement)]
    texts = (node for node in nodes if isinstance(node, ast.Constant | ast.JoinedStr))
    if any((node.end_lineno or node.lineno) > node.lineno for node in texts):
        return False
    if any(isinstance(node, _DEFINES) for node in nodes):
        return False
    first, last = rest[0], rest[-1]
    lines = file.lines[first.lineno - 1 : last.end_lineno]
    indent = lines[0][: first.col_offset]
    tail = file.lines[(last.end_lineno or last.lineno) - 1].encode()[last.end_col_offset :]
    shared = tail.strip() and not tail.strip().startswith(b"#")
    pairs = pairwise(rest)
    if shared or indent.strip() or any((a.end_lineno or 0) >= b.lineno for a, b in pairs):
        return False
    return all(not line.strip() or line.startswith(indent) for line in lines)


def bind_late(aim: BindLate, source: Source) -> Iterator[Candidate]:
    """Edits with which each factory of a loop keeps the value that its variable has when it is
    made: `lambda index=index: make(index)`; else those that add it to the one seed of all of them.
    """
    file = source.files.get(aim.place.file)
    for edits in (tuple(_bound(file)), tuple(_seeded(file))) if file else ():
        if edits:
            yield edits


def _bound(file: File) -> Iterator[Edit]:
    for node in ast.walk(file.tree):
        if isinstance(node, ast.ListComp | ast.DictComp) and len(node.generators) == 1:
            made = node.elt if isinstance(node, ast.ListComp) else node.value
            names = _names_in(node.generators[0].target)
            if isinstance(made, ast.Lambda) and (late := _late(made, names)):
                yield _with_default(file, made, late)
        elif isinstance(node, _LOOPS):
            names = _names_in(node.target)
            for each in _added(node):
                if late := _late(each, names):
                    yield _with_default(file, each, late)


def _seeded(file: File) -> Iterator[Edit]:
    """`AsyncVectorEnv([lambda: make(seed=3) for _ in range(8)])`, on one line."""
    for node in ast.walk(file.tree):
        is_vectorizer = isinstance(node, ast.Call) and VECTORIZER.search(last_name(node.func))
        for each in node.args[:1] if isinstance(node, ast.Call) and is_vectorizer else ():
            if isinstance(each, ast.ListComp) and isinstance(each.elt, ast.Lambda):
                yield from _with_rank(file, each, each.elt)


def _with_rank(file: File, each: ast.ListComp, made: ast.Lambda) -> Iterator[Edit]:
    loop, seeds = each.generators[0], list(_seeds_in(made))
    name = loop.target.id if isinstance(loop.target, ast.Name) else ""
    counts = isinstance(loop.iter, ast.Call) and last_name(loop.iter.func) == "range"
    if not (name and counts and len(seeds) == 1 and len(each.generators) == 1):
        return
    rank = "rank" if name == "_" else name
    is_used = rank != name and _uses(file.tree, rank)
    if (
        is_used
        or not _takes_nothing(made)
        or each.lineno != each.end_lineno
        or _uses(made.body, name)
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


def _names_in(target: ast.expr) -> list[str]:
    return [node.id for node in ast.walk(target) if isinstance(node, ast.Name)]


def _added(loop: ast.For | ast.AsyncFor) -> Iterator[ast.Lambda]:
    """The lambdas that the body of a loop adds to a list."""
    for node in ast.walk(loop):
        if isinstance(node, ast.Call) and last_name(node.func) == "append":
            yield from (each for each in node.args[:1] if isinstance(each, ast.Lambda))


def _late(made: ast.Lambda, names: Sequence[str]) -> list[str]:
    """The variables of the loop that a factory without arguments looks up when it is called."""
    return [name for name in names if _uses(made.body, name) and _takes_nothing(made)]


def _with_default(file: File, made: ast.Lambda, names: Sequence[str]) -> Edit:
    line = file.lines[made.lineno - 1].encode()
    at = made.col_offset + len("lambda")
    bound = ", ".join(f"{name}={name}" for name in names).encode()
    text = (line[:at] + b" " + bound + line[at:]).decode().strip()
    return Edit(file.path, INSTEAD, (text,), line=made.lineno)
