"""Edits that let a training script close what it makes: sets of edits, the best first.
Code is proposed only if the text alone shows it to be harmless.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise

from envdoctor.model.remedy import BEFORE, INSTEAD, Edit
from envdoctor.model.training_aims import CloseMade, JoinFirst
from envdoctor.remedies.applying import STEP, statement_text
from envdoctor.remedies.source import (
    Candidate,
    File,
    Source,
    assignments,
    called,
    instead,
    last_name,
    name_of_made,
    names_in,
    own_attribute,
    uses,
)

Place = tuple[ast.AST, list[ast.stmt], int]  # a scope, a block of it, and a statement of that

_DEFINES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_LOOPS = (ast.For, ast.AsyncFor, ast.While)
_LEAVING = (ast.Break, ast.Return, ast.Raise)
_GIVING = (ast.Return, ast.Yield, ast.YieldFrom, ast.AnnAssign, ast.AugAssign, ast.NamedExpr)
DATA = ("action_space", "observation_space", "spec", "metadata", "num_envs", "reward_range")
MAKING = ("make", "wrap", "create", "build", "get", "prepare", "setup", "init", "load")
KEEPING = ("set", "add", "append", "put", "register", "insert", "extend", "update")
PATIENCE = 60  # seconds for a worker to close its instances
CLOSE = "close"
CLOSING = (CLOSE, "__exit__", "terminate", "kill")


def close_made(aim: CloseMade, source: Source) -> Iterator[Candidate]:
    """Edits with which the script closes what a line makes, where the block of that line ends; or
    where it closes it under a condition, without that.
    """
    for frame in (aim.place, aim.other):
        file = source.files.get(frame.file) if frame else None
        places = places_of_made(file, frame.line) if file and frame else []
        if file is not None and len(places) == 1:
            yield from close_at(file, places[0], only_added_to(file, source))
            return
        if file is not None and places:
            yield _closed_together(file, places)
            yield _closed_each(file, places)
            return


def _closed_together(file: File, places: Sequence[Place]) -> Candidate:
    """One `try` and `finally` for what several statements make, each right below the last."""
    scope, block, first = places[0]
    names = [name_of_made(other[at]) for _, other, at in places]
    rest = block[first + len(places) :]
    in_a_row = [(block, first + number) for number in range(len(places))]
    if [(other, at) for _, other, at in places] != in_a_row or len({*names}) < len(names):
        return ()
    conditional = _closed_if(file, rest, names)
    if conditional is not None:
        return without_condition(file, conditional)
    if any(is_left(scope, block, rest, name) for name in names):
        return ()
    return with_finally(file, block, rest, [f"{name}.{CLOSE}()" for name in names])


def close_at(file: File, place: Place, unread: frozenset[str] = frozenset()) -> Iterator[Candidate]:
    """Edits that close what the statement at a place makes. Lists that are `unread` may keep it."""
    scope, block, at = place
    name = name_of_made(block[at])
    rest: Sequence[ast.stmt] = block[last_wrapping(block, at, name) + 1 :]
    conditional = _closed_if(file, rest, [name])
    if conditional is not None:
        yield without_condition(file, conditional)
        return
    closed_late = _closed_late(file, rest, name)
    if closed_late:
        yield closed_late
        return
    ending, rest = _ending(block[at], rest, name)
    if rest and not is_left(scope, block, rest, name, unread):
        yield with_finally(file, block, rest, ending)


def _closed_each(file: File, places: Sequence[Place]) -> Candidate:
    """A `try` and `finally` for each of several statements, each in a block of its own."""
    if len({id(block) for _, block, _ in places}) < len(places):
        return ()
    parts = [next(close_at(file, place), ()) for place in places]
    return tuple(edit for edits in parts for edit in edits) if all(parts) else ()


def without_condition(file: File, conditional: ast.If) -> Candidate:
    """`env.close()` for `if wanted: env.close()`."""
    calls = tuple(line for each in conditional.body for line in statement_text(file, each))
    return (instead(file, conditional, calls),)


def with_finally(
    file: File, block: Sequence[ast.stmt], rest: Sequence[ast.stmt], ending: Sequence[str]
) -> Candidate:
    """Edits that put the rest of a block into a `try`, and lines into its `finally`."""
    if not rest or not can_be_indented(file, rest):
        return ()
    first, last = rest[0], rest[-1]
    end, column = last.end_lineno or last.lineno, first.col_offset
    lines = tuple(f"{STEP}{line[column:]}" for line in file.lines[first.lineno - 1 : end])
    text = ("try:", *lines, "finally:", *(f"{STEP}{line}" for line in ending))
    end = block[-1].end_lineno or block[-1].lineno
    return (Edit(file.path, INSTEAD, text, line=first.lineno, end=end),)


def _closed_late(file: File, rest: Sequence[ast.stmt], name: str) -> Candidate:
    """A `finally` that closes it, in place of a close() at the end of the `try` alone, and of those
    in its handlers.
    """
    tries = [each for each in rest if isinstance(each, ast.Try)]
    tried = tries[0] if len(tries) == 1 else None
    if tried is None or tried.finalbody or tried.orelse or len(tried.body) < 2:
        return ()
    blocks = [tried.body, *(each.body for each in tried.handlers)]
    gone = [each for block in blocks for each in block if _closes_alone(each, name)]
    closes = [node for node in _nodes(rest) if _is_closing(node, name)]
    is_last = ast.unparse(tried.body[-1]) == f"{name}.close()"
    after = rest[list(rest).index(tried) + 1 :]
    if not is_last or len(closes) != len(gone) or any(uses(each, name) for each in after):
        return ()
    if any(all(each in gone for each in block) for block in blocks):
        return ()
    lines = {line for each in gone for line in range(each.lineno, (each.end_lineno or 0) + 1)}
    end, column = tried.end_lineno or tried.lineno, tried.col_offset
    kept = [file.lines[at - 1][column:] for at in range(tried.lineno, end + 1) if at not in lines]
    text = (*kept, "finally:", f"{STEP}{name}.close()")
    return (Edit(file.path, INSTEAD, text, line=tried.lineno, end=end),)


def _closes_alone(node: ast.stmt, name: str) -> bool:
    """Return True for `env.close()`, and for `if env is not None: env.close()`."""
    if isinstance(node, ast.If) and names_in(node.test) == [name]:
        return not node.orelse and [ast.unparse(each) for each in node.body] == [f"{name}.close()"]
    return ast.unparse(node) == f"{name}.close()"


def _ending(
    made: ast.stmt, rest: Sequence[ast.stmt], name: str
) -> tuple[tuple[str, ...], Sequence[ast.stmt]]:
    """The lines that end what a statement makes, and the rest of the block without those that end
    it already, where nothing raises before.
    """
    closes = [node for node in _nodes(rest) if _is_closing(node, name)]
    if rest and ast.unparse(rest[-1]) == f"{name}.close()" and len(closes) == 1:
        return (f"{name}.close()",), rest[:-1]
    assert isinstance(made, ast.Assign)
    assert isinstance(made.value, ast.Call)
    calls = ("terminate", "wait") if last_name(made.value.func) == "Popen" else ("close",)
    return tuple(f"{name}.{call}()" for call in calls), rest


def assigned_at(file: File, line: int) -> Place | None:
    """The place of the line that gives one name to what it makes."""
    return next((each for each in _assignments(file) if covers(each[1][each[2]], line)), None)


def place_of_made(file: File, line: int) -> Place | None:
    """The place where the script has what a line makes, if that is one."""
    places = places_of_made(file, line)
    return places[0] if len(places) == 1 else None


def places_of_made(file: File, line: int) -> list[Place]:
    """The places where the script has what a line makes: there, or where the function is called
    that returns it, also one that make_env() returns.
    """
    here = assigned_at(file, line)
    function = next(
        (
            node
            for node in ast.walk(file.tree)
            if isinstance(node, ast.FunctionDef) and returns_made(node, line)
        ),
        None,
    )
    if function is None:
        return [here] if here is not None else []
    makers = {function.name, *(f"{each}()" for each in _returning(file, function))}
    return [each for each in _assignments(file) if _called(each[1][each[2]]) in makers]


def place_of_call(file: File, name: str) -> Place | None:
    """The place where the script has what a class or function makes, if that is one."""
    places = [each for each in _assignments(file) if _called(each[1][each[2]]) == name]
    return places[0] if len(places) == 1 else None


def _returning(file: File, inner: ast.FunctionDef) -> Iterator[str]:
    """The function that ends with `return inner`, which it defines."""
    for node in ast.walk(file.tree):
        if isinstance(node, ast.FunctionDef) and inner in node.body:
            last = node.body[-1]
            if isinstance(last, ast.Return) and last_name(last.value) == inner.name:
                yield node.name


def returns_made(function: ast.FunctionDef, line: int) -> bool:
    """Return True for `return make()`, and for `env = make()` where `return env` ends it."""
    last = function.body[-1]
    if not isinstance(last, ast.Return) or not covers(function, line):
        return False
    if isinstance(last.value, ast.Call) and covers(last, line):
        return makes(last.value)
    name = last.value.id if isinstance(last.value, ast.Name) else ""
    made = (each for each in function.body if covers(each, line))
    return bool(name) and name in map(name_of_made, made)


def covers(node: ast.stmt, line: int) -> bool:
    """Return True where a statement has the line."""
    return node.lineno <= line <= (node.end_lineno or node.lineno)


def _called(node: ast.stmt) -> str:
    """`make` of `env = make()`, and `make_env()` of `env = make_env(0)()`."""
    value = node.value if isinstance(node, ast.Assign) else None
    if not isinstance(value, ast.Call):
        return ""
    inner = called(value.func)
    return f"{inner}()" if inner else last_name(value.func)


def _assignments(file: File) -> Iterator[Place]:
    """The places of lines that give one name to what they make."""
    for scope in (file.tree, *(node for node in ast.walk(file.tree) if isinstance(node, _SCOPES))):
        for block in _blocks(scope):
            for at, node in enumerate(block):
                if name_of_made(node):
                    yield scope, block, at


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


def _closed_if(file: File, rest: Sequence[ast.stmt], names: Sequence[str]) -> ast.If | None:
    """`if wanted: env.close()`, where nothing else closes what has these names."""
    nodes = _nodes(rest)
    closes = [name for node in nodes for name in names if _is_closing(node, name)]
    ifs = [
        node
        for node in nodes
        if isinstance(node, ast.If)
        and _only_closes(node.body, names)
        and not (node.orelse or any(uses(node.test, name) for name in names))
        and file.text_of(node).startswith("if")  # and no elif
    ]
    if len(ifs) != 1 or sorted(closes) != sorted(names) or _comes_again(nodes, ifs[0]):
        return None
    return ifs[0]


def _comes_again(nodes: Sequence[ast.AST], statement: ast.stmt) -> bool:
    """Return True for a statement in a loop that goes on after it."""
    loops = (node for node in nodes if isinstance(node, _LOOPS))
    blocks = (block for loop in loops for block in _blocks(loop) if statement in block)
    return any(not isinstance(block[-1], _LEAVING) for block in blocks)


def _only_closes(body: Sequence[ast.stmt], names: Sequence[str]) -> bool:
    """Return True for `simulator.kill()`, `simulator.wait()`."""
    values = [each.value for each in body if isinstance(each, ast.Expr)]
    calls = [each.func for each in values if isinstance(each, ast.Call)]
    return (
        len(calls) == len(body)
        and all(isinstance(n, ast.Attribute) and last_name(n.value) in names for n in calls)
        and all(any(_is_closing(each, name) for each in calls) for name in names)
    )


def _is_closing(node: ast.AST, name: str) -> bool:
    """Return True for `env.close`."""
    if not isinstance(node, ast.Attribute):
        return False
    return last_name(node.value) == name and node.attr in CLOSING


def last_wrapping(block: Sequence[ast.stmt], at: int, name: str) -> int:
    """The place of the last statement that follows at once and wraps it: `env = Limit(env)`."""
    while (
        at + 1 < len(block)
        and name_of_made(block[at + 1]) == name
        and uses(block[at + 1], name) > 1
    ):
        at += 1
    return at


def is_left(
    scope: ast.AST,
    block: Sequence[ast.stmt],
    rest: Sequence[ast.stmt],
    name: str,
    unread: frozenset[str] = frozenset(),
) -> bool:
    """Return True if the value of the name may be used after its block, or is closed there
    already.
    """
    made = _made_of(name, _nodes(rest))
    outside = any(uses(scope, each) > sum(uses(node, each) for node in block) for each in made)
    declared = (
        node.names for node in ast.walk(scope) if isinstance(node, ast.Global | ast.Nonlocal)
    )
    is_given = is_given_away(scope, rest, name, unread)
    return outside or is_given or any(name in names for names in declared)


def is_given_away(
    scope: ast.AST, rest: Sequence[ast.stmt], name: str, unread: frozenset[str] = frozenset()
) -> bool:
    """Return True if these statements end what has the name, bind that anew, or keep it in more
    than lists that are `unread`.
    """
    nodes = [node for node in _nodes(rest) if _added_to(node) not in unread]
    made = _made_of(name, nodes)
    return any(_gives_away(scope, node, name, made) for node in nodes)


def _added_to(node: ast.AST) -> str:
    """`self.history` of `self.history.append(...)`."""
    function = node.func if isinstance(node, ast.Call) else None
    if not isinstance(function, ast.Attribute) or function.attr != "append":
        return ""
    return ast.unparse(function.value)


def _nodes(statements: Sequence[ast.stmt]) -> list[ast.AST]:
    return [node for statement in statements for node in ast.walk(statement)]


def names_made_of(name: str, rest: Sequence[ast.stmt]) -> set[str]:
    """The name, and those that these statements make with it."""
    return _made_of(name, _nodes(rest))


def _made_of(name: str, nodes: Sequence[ast.AST]) -> set[str]:
    """The name, and those that are made with it: a model that was given the environment."""
    made: set[str] = set()
    more = {name}
    while more > made:
        made, more = more, set(more)
        for node in nodes:
            if isinstance(node, ast.Assign) and _holds(node.value, made):
                more |= {name for target in node.targets for name in names_in(target)}
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
        return makes(node) and any(_holds(each, made) for each in (*node.args, *node.keywords))
    return any(_holds(child, made) for child in ast.iter_child_nodes(node))


def makes(call: ast.Call) -> bool:
    """Return True for `Arm()` and `make_arm()`: a function that is named as one that makes."""
    name = last_name(call.func).lstrip("_")
    return name[:1].isupper() or name.startswith(MAKING)


def _gives_away(scope: ast.AST, node: ast.AST, name: str, made: set[str]) -> bool:
    """Return True if a part of the block ends it, binds its name anew, or keeps it for later."""
    if isinstance(node, ast.Name):
        return node.id == name and not isinstance(node.ctx, ast.Load)
    if isinstance(node, ast.Attribute):
        return _is_closing(node, name)
    if isinstance(node, ast.With | ast.AsyncWith):
        return any(uses(item.context_expr, name) for item in node.items)
    if isinstance(node, _SCOPES):
        return any(uses(node, each) for each in made)
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
    made = added = 0
    for node in ast.walk(scope):
        if (
            isinstance(node, ast.Assign)
            and isinstance(node.value, ast.List)
            and not node.value.elts
        ):
            made += [ast.unparse(target) for target in node.targets] == [holder.id]
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            added += ast.unparse(node.value.func) == f"{holder.id}.append"
    is_argument = holder.id in {each.arg for each in ast.walk(scope) if isinstance(each, ast.arg)}
    return is_argument or not made or uses(scope, holder.id) != made + added


def only_added_to(file: File, source: Source) -> frozenset[str]:
    """`kept` and `self.history` where these are lists of the module, and of classes that inherit
    nothing, to which all files of the user's only add.
    """
    trees = [each.tree for each in source.files.values()]
    nodes = [node for tree in trees for node in ast.walk(tree)]
    texts = {node.value for node in nodes if isinstance(node, ast.Constant)}
    attributes = Counter(node.attr for node in nodes if isinstance(node, ast.Attribute))
    imported = {a.name for node in nodes if isinstance(node, ast.ImportFrom) for a in node.names}
    owners = [each for each in file.classes.values() if not each.bases]
    own = {
        own_attribute(target)
        for owner in owners
        for node in ast.walk(owner)
        for target, value in assignments(node)
        if isinstance(value, ast.List) and not value.elts
    }
    of_module = {
        last_name(target)
        for node in file.tree.body
        for target, value in assignments(node)
        if isinstance(target, ast.Name) and isinstance(value, ast.List) and not value.elts
    }
    known = Counter(name for node in nodes for name in _made_or_added_to(node))
    return frozenset(
        {
            *(f"self.{n}" for n in own - texts if n and attributes[n] == known[f"self.{n}"]),
            *(
                n
                for n in of_module - texts - imported - set(attributes)
                if uses(file.tree, n) == known[n]
            ),
        }
    )


def _made_or_added_to(node: ast.AST) -> Iterator[str]:
    """The names in `self.history = []`, and in a statement `self.history.append(...)`."""
    for target, value in assignments(node):
        if isinstance(value, ast.List) and not value.elts:
            yield ast.unparse(target)
    if isinstance(node, ast.Expr):
        yield _added_to(node.value)


def can_be_indented(file: File, rest: Sequence[ast.stmt]) -> bool:
    """Return True if the text means the same further to the right: no string goes over several
    lines, no statement shares its line, and nothing is defined.
    """
    nodes = _nodes(rest)
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


def join_first(aim: JoinFirst, source: Source) -> Iterator[Candidate]:
    """An edit that waits for a process before a line ends it: `process.join(timeout=60)`."""
    statement = source.statement_at(aim.place)
    call = statement.value if isinstance(statement, ast.Expr) else None
    function = call.func if isinstance(call, ast.Call) else None
    if isinstance(function, ast.Attribute) and function.attr in ("terminate", "kill"):
        wait = f"{ast.unparse(function.value)}.join(timeout={PATIENCE})"
        yield (Edit(aim.place.file, BEFORE, (wait,), line=function.lineno),)
