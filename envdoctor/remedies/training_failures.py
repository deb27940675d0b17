"""Edits with which a training goes on where an exception ended it, or a process of it: those of
failures whose message leaves one cure.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence

from envdoctor.model.errors import Frame
from envdoctor.model.remedy import BEFORE, INSTEAD, MEMBER, Edit
from envdoctor.model.training_aims import FailureKind, GuardScript, MendFailure
from envdoctor.remedies.applying import STEP
from envdoctor.remedies.closing import guard, single_attribute
from envdoctor.remedies.mending import wrapped_index
from envdoctor.remedies.source import (
    CONSTRUCTOR,
    Candidate,
    File,
    Function,
    Source,
    assignments,
    block_of,
    called,
    function_at,
    innermost,
    instead,
    last_name,
    name_of_made,
    names_from_around,
    names_in,
    own_attribute,
    removed,
    replaced,
    stored_in,
    takes,
    uses,
    without_gap,
)
from envdoctor.remedies.training import assigned_at, can_be_indented, close_at
from envdoctor.remedies.training_forks import make_in_process
from envdoctor.remedies.training_interfaces import import_registrar, unwrap, wrap_once
from envdoctor.remedies.training_limits import end_when_over, take_as_many
from envdoctor.remedies.training_locks import lock_of_loop
from envdoctor.remedies.training_owners import parts_closed
from envdoctor.remedies.training_segments import leave_to_maker
from envdoctor.remedies.training_workers import close_after_starts

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_DEFINITIONS = (*_FUNCTIONS, ast.ClassDef, ast.Import, ast.ImportFrom)
GUARD = 'if __name__ == "__main__":'
FORK, SPAWN, MAIN, SET_METHOD = "fork", "spawn", "__main__", "set_start_method"
MULTIPROCESSING = ("multiprocessing", "torch.multiprocessing")
LOOKS = {"glob", "iterdir", "listdir", "scandir", "exists"}  # functions that look at a folder
GET_LOOP, NEW_LOOP, SET_LOOP = "get_event_loop", "new_event_loop", "set_event_loop"


def mend_failure(aim: MendFailure, source: Source) -> Iterator[Candidate]:
    """Edits for the kind of a failure; nothing where the text leaves it open."""
    file = source.files.get(aim.place.file)
    if file is not None and aim.kind in KINDS:
        yield KINDS[aim.kind](file, aim)


def guard_script(aim: GuardScript, source: Source) -> Iterator[Candidate]:
    """Edits of a script whose statements from a line on go below a guard."""
    file = source.files.get(aim.place.file)
    if file is not None:
        body = file.tree.body
        rest = [each for each in body if (each.end_lineno or each.lineno) >= aim.place.line]
        yield _below_guard(file, rest)


def add_guard(file: File, aim: MendFailure) -> Candidate:
    """All that follows the last definition goes below `if __name__ == "__main__":`."""
    body = file.tree.body
    after = [at for at, node in enumerate(body, 1) if isinstance(node, _DEFINITIONS)]
    rest = body[after[-1] if after else 0 :]
    while rest and _is_plain(rest[0]):
        rest = rest[1:]
    return _below_guard(file, rest) if rest and rest[0].lineno <= aim.place.line else ()


def _is_plain(node: ast.stmt) -> bool:
    """Return True for what workers need, too: a docstring, a constant such as `SEED = 3`, and
    `register(...)`.
    """
    is_value = isinstance(node, ast.Expr | ast.Assign) and isinstance(node.value, ast.Constant)
    return is_value or (isinstance(node, ast.Expr) and called(node.value) == "register")


def _below_guard(file: File, rest: Sequence[ast.stmt]) -> Candidate:
    """The last statements of a script below a guard; nothing where those above, or a worker that
    imports the script, may need what they make.
    """
    if not rest or not can_be_indented(file, rest):
        return ()
    made = {name for node in rest for name in stored_in(node)}
    above = [node for node in file.tree.body if node.lineno < rest[0].lineno]
    if uses(file.tree, "__name__") or any(made & names_from_around(node) for node in above):
        return ()
    end = rest[-1].end_lineno or rest[-1].lineno
    work = file.lines[rest[0].lineno - 1 : end]
    lines = (GUARD, *(f"{STEP}{line}" if line else "" for line in work))
    return (Edit(file.path, INSTEAD, lines, line=rest[0].lineno, end=end),)


def hand_functions(file: File, aim: MendFailure) -> Candidate:
    """`SubprocVecEnv([Arm, Arm])` for `SubprocVecEnv([Arm(), Arm()])`."""
    statement = innermost(file, aim.place.line)
    calls = [
        node
        for node in ast.walk(statement or ast.Pass())
        if isinstance(node, ast.Call) and node.args and last_name(node.func) == aim.name
    ]
    handed = calls[0].args[0] if len(calls) == 1 else None
    if isinstance(handed, ast.Name):
        handed = _value_of(file, handed.id)
    texts: list[tuple[ast.expr, str]] = []
    for node in ast.walk(handed) if handed is not None else ():
        for made, bound in _elements(node):
            text = _factory(file, made, bound)
            if not text:
                return ()
            texts.append((made, text))
    return replaced(file, texts)


def _value_of(file: File, name: str) -> ast.expr | None:
    """The list that a name has, which is handed on and has no other use."""
    values = [
        node.value
        for node in ast.walk(file.tree)
        if isinstance(node, ast.Assign) and list(map(last_name, node.targets)) == [name]
    ]
    return values[0] if len(values) == 1 and uses(file.tree, name) == 2 else None


def _elements(node: ast.AST) -> Iterator[tuple[ast.expr, Sequence[str]]]:
    """The elements of a list, and the loop variables that they may use."""
    if isinstance(node, ast.List):
        yield from ((each, ()) for each in node.elts if not isinstance(each, ast.Lambda))
    elif isinstance(node, ast.ListComp) and not isinstance(node.elt, ast.Lambda):
        yield node.elt, [name for each in node.generators for name in names_in(each.target)]


def _factory(file: File, made: ast.expr, bound: Sequence[str]) -> str:
    """The function that makes what a call makes; the name of one stays, all else has none."""
    if isinstance(made, ast.Name) and made.id[:1].isupper():
        return made.id
    if not isinstance(made, ast.Call):
        return ""
    if not (made.args or made.keywords):
        return file.text_of(made.func)
    late = [name for name in bound if uses(made, name)]
    defaults = ", ".join(f"{name}={name}" for name in late)
    return f"lambda{' ' * bool(late)}{defaults}: {file.text_of(made)}"


def name_lambda(file: File, aim: MendFailure) -> Candidate:
    """A function of the module, which can be pickled, for the only lambda of a function."""
    function = _function_at(file.tree, aim.name.split("."))
    made = [node for node in ast.walk(function or ast.Pass()) if isinstance(node, ast.Lambda)]
    tops = (node for node in file.tree.body if any(each is function for each in ast.walk(node)))
    top = next(tops, None)
    if function is None or top is None or len(made) != 1:
        return ()
    (chosen,) = made
    own = {each.arg for each in ast.walk(chosen.args) if isinstance(each, ast.arg)}
    local = {each.arg for each in ast.walk(function) if isinstance(each, ast.arg)} - own
    inside = any(isinstance(each, _FUNCTIONS) for each in ast.walk(function) if each != function)
    name = f"_{_name_for(function, chosen)}"
    if inside or name == "_" or uses(file.tree, name) or _has_default(chosen):
        return ()
    if not (local | set(stored_in(function))).isdisjoint(names_in(chosen)):
        return ()
    arguments = file.text_of(chosen).partition(":")[0].removeprefix("lambda").strip()
    lines = (f"def {name}({arguments}):", f"{STEP}return {file.text_of(chosen.body)}", "", "")
    begin = min([top.lineno, *(each.lineno for each in getattr(top, "decorator_list", ()))])
    put = replaced(file, [(chosen, name)])
    return (Edit(file.path, BEFORE, lines, line=begin), *put) if put else ()


def _has_default(made: ast.Lambda) -> bool:
    return bool(made.args.defaults or made.args.kw_defaults)


def _function_at(tree: ast.AST, path: Sequence[str]) -> Function | None:
    """The function of a qualified name, `Arm.__init__`."""
    node: ast.AST | None = tree
    for name in path:
        parts = ast.iter_child_nodes(node) if node is not None else ()
        kinds = (*_FUNCTIONS, ast.ClassDef)
        node = next((each for each in parts if isinstance(each, kinds) and each.name == name), None)
    return node if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) else None


def _name_for(function: Function, made: ast.Lambda) -> str:
    """The key, the argument, or the variable that a lambda is the value of."""
    for node in ast.walk(function):
        if isinstance(node, ast.Dict) and made in node.values:
            key = node.keys[node.values.index(made)]
            text = key.value if isinstance(key, ast.Constant) else ""
            return text if isinstance(text, str) and text.isidentifier() else ""
        if isinstance(node, ast.keyword) and node.value is made:
            return node.arg or ""
        if isinstance(node, ast.Assign) and node.value is made and len(node.targets) == 1:
            return last_name(node.targets[0])
    return ""


def make_loop(file: File, aim: MendFailure) -> Candidate:
    """A new event loop where the thread has none: `return asyncio.get_event_loop()`."""
    statement = innermost(file, aim.place.line)
    value = statement.value if isinstance(statement, ast.Return | ast.Assign) else None
    if statement is None or called(value) != GET_LOOP or not isinstance(value, ast.Call):
        return ()
    if not isinstance(value.func, ast.Attribute) or statement.lineno != statement.end_lineno:
        return ()
    module, name, after = file.text_of(value.func.value), "loop", ["return loop"]
    if isinstance(statement, ast.Assign):
        name, after = file.text_of(statement.targets[0]), []
        if len(statement.targets) != 1:
            return ()
    lines = (f"{name} = {module}.{NEW_LOOP}()", f"{module}.{SET_LOOP}({name})", *after)
    text = ("try:", f"{STEP}{file.text_of(statement)}", "except RuntimeError:  # in a thread")
    return (instead(file, statement, (*text, *(f"{STEP}{line}" for line in lines))),)


def register_there(file: File, aim: MendFailure) -> Candidate:
    """The call of the script's function that registers ids, before the line that uses one."""
    known = [
        node.name
        for node in file.tree.body
        if isinstance(node, ast.FunctionDef)
        and any(called(each) == "register" for each in ast.walk(node))
        and not any(isinstance(each, ast.arg) for each in ast.walk(node.args))
    ]
    statement = innermost(file, aim.place.line)
    around = [
        each
        for each in ast.walk(file.tree)
        if isinstance(each, ast.FunctionDef) and statement in each.body
    ]
    if len(known) != 1 or statement is None or not around or around[0].name in known:
        return ()
    return (Edit(file.path, BEFORE, (f"{known[0]}()",), line=statement.lineno),)


def leave_open(file: File, aim: MendFailure) -> Candidate:
    """No `self.env.close()` in a class that was given what it closes."""
    statement = innermost(file, aim.place.line)
    owners = file.classes.values()
    owner = next((n for n in owners if any(each is statement for each in ast.walk(n))), None)
    value = statement.value if isinstance(statement, ast.Expr) else None
    if statement is None or owner is None or not isinstance(value, ast.Call):
        return ()
    closed = value.func.value if isinstance(value.func, ast.Attribute) else None
    attribute = own_attribute(closed)
    values = [
        _is_given(owner, made)
        for node in ast.walk(owner)
        for target, made in assignments(node)
        if own_attribute(target) == attribute
    ]
    if called(value) != "close" or not attribute or not values or not all(values):
        return ()
    return (removed(file, statement),)


def _is_given(owner: ast.ClassDef, value: ast.expr) -> bool:
    """Return True for the name of an argument of the constructor."""
    made = next((each for each in owner.body if getattr(each, "name", "") == CONSTRUCTOR), None)
    if not isinstance(made, ast.FunctionDef) or not isinstance(value, ast.Name):
        return False
    return takes(made, value.id)


def add_close(file: File, aim: MendFailure) -> Candidate:
    """A close() for a class that inherits nothing, which closes those parts that have one."""
    owner = file.classes.get(aim.name)
    if owner is None or owner.bases:
        return ()
    parts = [
        own_attribute(target)
        for node in ast.walk(owner)
        for target, value in assignments(node)
        if own_attribute(target) and _has_close(file.classes.get(called(value)))
    ]
    calls = [f"{STEP}self.{part}.close()" for part in dict.fromkeys(parts)] or [f"{STEP}pass"]
    return (Edit(file.path, MEMBER, ("def close(self):", *calls), aim.name),)


def skip_missing(file: File, aim: MendFailure) -> Candidate:
    """Parts that may be missing are closed where they are there, from the line on that raised."""
    around = Source({file.path: file}, "", file.path).around(aim.place)
    statement = innermost(file, aim.place.line)
    if around is None or statement is None:
        return ()
    owner, method = around
    source = Source({file.path: file}, owner.name, file.path)
    optional = {
        own_attribute(target)
        for node in ast.walk(owner.node)
        for target, value in assignments(node)
        if isinstance(value, ast.Constant) and value.value is None
    }
    block = block_of(statement, method)
    rest = block[block.index(statement) :] if statement in block else []
    parts = [(each, single_attribute(each)) for each in rest]
    return tuple(
        guard(source, file, each, name, forget=True) for each, name in parts if name in optional
    )


def own_of_each(file: File, _aim: MendFailure) -> Candidate:
    """`return Context()` of a function that keeps one for the thread that calls it first: another
    thread crashes that uses it later.
    """
    kept = [
        (node, last_name(target))
        for node in file.tree.body
        for target, value in assignments(node)
        if isinstance(value, ast.Call) and file.full_name(value.func) == "threading.local"
    ]
    for function in (node for node in file.tree.body if isinstance(node, ast.FunctionDef)):
        body = function.body[1:] if ast.get_docstring(function) is not None else function.body
        if len(body) != 2 or not isinstance(body[0], ast.If) or not isinstance(body[1], ast.Return):
            continue
        pairs = [pair for each in body[0].body for pair in assignments(each)]
        made = pairs[0] if len(pairs) == len(body[0].body) == 1 and not body[0].orelse else None
        if made is None or body[1].value is None or not isinstance(made[1], ast.Call):
            continue
        is_kept = ast.unparse(made[0]) == ast.unparse(body[1].value)
        holder = last_name(getattr(made[0], "value", None))
        own = [node for node, name in kept if is_kept and name == holder]
        if own:
            alone = uses(file.tree, holder) == uses(function, holder) + 1
            edits = (
                removed(file, body[0]),
                instead(file, body[1], (f"return {file.text_of(made[1])}",)),
            )
            return (*edits, *(without_gap(file, each) for each in own if alone))
    return ()


def _has_close(owner: ast.ClassDef | None) -> bool:
    return owner is not None and any(getattr(each, "name", "") == "close" for each in owner.body)


def close_by_maker(file: File, aim: MendFailure) -> Candidate:
    """The line that made a vectorizer closes it, in place of an object that was given it."""
    around = Source({file.path: file}, "", file.path).around(aim.place)
    calls = [node for node in ast.walk(file.tree) if isinstance(node, ast.Call)]
    makers = [node for node in calls if around and last_name(node.func) == around[0].name]
    statement = innermost(file, makers[0].lineno) if len(makers) == 1 else None
    if not isinstance(statement, ast.Assign):
        return ()
    name = name_of_made(statement) if statement.value is makers[0] else ""
    holders = {
        last_name(node.func)
        for node in calls
        for part in node.args
        if part is makers[0] or (name and isinstance(part, ast.Name) and part.id == name)
    }
    closes = [
        (leave_open(file, MendFailure(Frame(file.path, node.lineno), "owner")), node)
        for holder in holders & file.classes.keys()
        for node in ast.walk(file.classes[holder])
        if isinstance(node, ast.Expr) and called(node.value) == "close"
    ]
    borrowed = [(edits, node) for edits, node in closes if edits]
    if len(borrowed) != 1 or not isinstance(borrowed[0][1].value, ast.Call):
        return ()
    home, closing = assigned_at(file, statement.lineno), borrowed[0][1].value.func
    own = own_attribute(closing.value) if isinstance(closing, ast.Attribute) else ""
    if home is None or not own:
        return ()
    more = next(close_at(file, home), ()) if name else parts_closed(file, home, (own, False))
    return (*borrowed[0][0], *more) if more else ()


def spawn(file: File, _aim: MendFailure) -> Candidate:
    """Workers are spawned where they are forked: `get_context("spawn")`; without a context, as the
    first line of the guard.
    """
    values = [part for node in ast.walk(file.tree) for part in _start_methods(node)]
    variables = {last_name(part) for part in values} - {""}
    assigned = [
        value
        for node in ast.walk(file.tree)
        for target, value in assignments(node)
        if last_name(target) in variables
    ]
    named = [
        part
        for part in dict.fromkeys((*values, *assigned))
        if isinstance(part, ast.Constant) and part.value == FORK
    ]
    if named:
        return replaced(file, [(part, f'"{SPAWN}"') for part in named])
    modules = [name for name, full in file.imported.items() if full in MULTIPROCESSING]
    texts = (f'__name__ == "{MAIN}"', f"__name__ == '{MAIN}'")
    guards = [
        node
        for node in file.tree.body
        if isinstance(node, ast.If) and file.text_of(node.test) in texts
    ]
    if len(modules) != 1 or len(guards) != 1 or any(map(_has_context, ast.walk(file.tree))):
        return ()
    line = f'{modules[0]}.{SET_METHOD}("{SPAWN}")'
    return (Edit(file.path, BEFORE, (line,), line=guards[0].body[0].lineno),)


def _start_methods(node: ast.AST) -> Iterator[ast.AST]:
    """The arguments that say how processes start."""
    if isinstance(node, ast.Call) and _has_context(node):
        yield from (*node.args, *(each.value for each in node.keywords))
    elif isinstance(node, ast.keyword) and node.arg in ("context", "start_method"):
        yield node.value


def _has_context(node: ast.AST) -> bool:
    return called(node) in ("get_context", SET_METHOD) if isinstance(node, ast.Call) else False


def take_next(file: File, aim: MendFailure) -> Candidate:
    """`self.folder.mkdir()` until one is free, with `self.folder = next_folder(parent)` between,
    for a function that looks which are there: another process may make that one first.
    """
    statement, function = innermost(file, aim.place.line), function_at(file, aim.place.line)
    call = statement.value if isinstance(statement, ast.Expr) else None
    if called(call) != "mkdir" or not isinstance(call, ast.Call) or call.args or call.keywords:
        return ()
    assert statement is not None
    folder = ast.unparse(call.func).rpartition(".")[0]
    looking = {
        node.name
        for node in file.tree.body
        if isinstance(node, ast.FunctionDef) and not LOOKS.isdisjoint(map(called, ast.walk(node)))
    }
    names = [
        node
        for node in (function.body if function else ())
        for target, value in assignments(node)
        if ast.unparse(target) == folder and called(value) in looking
    ]
    if len(names) != 1 or names[0].lineno >= statement.lineno:
        return ()
    lines = (
        "while True:",
        f"{STEP}try:",
        f"{STEP * 2}{file.text_of(statement)}",
        f"{STEP}except FileExistsError:  # another process was faster",
        f"{STEP * 2}{file.text_of(names[0])}",
        f"{STEP}else:",
        f"{STEP * 2}break",
    )
    return (instead(file, statement, lines),)


def wrap_around(file: File, aim: MendFailure) -> Candidate:
    """An index that a constant wraps around, in the line that raised."""
    return wrapped_index(file, aim.place.line)


KINDS: dict[FailureKind, Callable[[File, MendFailure], Candidate]] = {
    "close": add_close,
    "exists": take_next,
    "borrowed": close_by_maker,
    "fork": spawn,
    "handle": close_after_starts,
    "opened": leave_to_maker,
    "orders": take_as_many,
    "over": end_when_over,
    "owner": leave_open,
    "process": make_in_process,
    "guard": add_guard,
    "index": wrap_around,
    "instances": hand_functions,
    "lambda": name_lambda,
    "thread": own_of_each,
    "loop": make_loop,
    "missing": skip_missing,
    "mutex": lock_of_loop,
    "id": register_there,
    "import": import_registrar,
    "layer": unwrap,
    "wrapped": wrap_once,
}
