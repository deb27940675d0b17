"""Edits that take out calls which change what belongs to the whole process, and files that are
mapped.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from envdoctor.model.environment_aims import (
    LeaveOut,
    LeaveToProcess,
    LogPrints,
    Remove,
    SetIfMissing,
    UnlinkMapped,
)
from envdoctor.model.errors import Frame
from envdoctor.model.remedy import INSTEAD, Edit
from envdoctor.remedies.applying import statement_text
from envdoctor.remedies.needing import needed
from envdoctor.remedies.source import (
    CONSTRUCTOR,
    Candidate,
    File,
    Function,
    Source,
    assignments,
    block_of,
    called,
    instead,
    last_name,
    names_in,
    names_of_module,
    own_attribute,
    own_attributes,
    replaced,
    uses,
)

LOGGER, PLACEHOLDER = "logging.getLogger(__name__)", "%s"
#: Variables that choose a display, a sound or a device: their values are not secret.
OPEN = (
    "CUDA_DEVICE_ORDER",
    "CUDA_VISIBLE_DEVICES",
    "DISPLAY",
    "EGL_PLATFORM",
    "LIBGL_ALWAYS_SOFTWARE",
    "MPLBACKEND",
    "MUJOCO_GL",
    "PYOPENGL_PLATFORM",
    "QT_QPA_PLATFORM",
    "SDL_AUDIODRIVER",
    "SDL_VIDEODRIVER",
)


def remove(aim: Remove, source: Source) -> Iterator[Candidate]:
    """Edits without the calls in the lines of an aim, and without what they put into os.environ;
    none where one of these does more.
    """
    edits: list[Edit] = []
    for place in aim.places:
        file, statement = source.files.get(place.file), source.statement_at(place)
        if file is None or statement is None or not _can_go(statement, file):
            return
        lines = ("pass",) if is_alone(statement, file) else ()
        first, last = statement.lineno, statement.end_lineno or statement.lineno
        edits.append(Edit(file.path, INSTEAD, lines, line=first, end=last))
    yield tuple(dict.fromkeys(edits))


STARTING = tuple(f"subprocess.{name}" for name in ("Popen", "run", "call", "check_call"))


def set_if_missing(aim: SetIfMissing, source: Source) -> Iterator[Candidate]:
    """Edits of `os.environ["KEY"] = value` to `os.environ.setdefault("KEY", value)`; none where one
    of the lines is another statement, or writes a value down: a report holds none of a variable
    that may be secret. A value that is another one in each episode is handed to the program that
    the method starts.
    """
    edits: list[Edit] = []
    for place in aim.places:
        file, statement = source.files.get(place.file), source.statement_at(place)
        if file is None or not isinstance(statement, ast.Assign) or not _can_go(statement, file):
            return
        (target,) = statement.targets
        assert isinstance(target, ast.Subscript)
        is_open = getattr(target.slice, "value", "") in OPEN
        if not is_open and any(isinstance(n, ast.Constant) for n in ast.walk(statement.value)):
            return
        if _is_renewed(statement.value, place, source):
            yield _handed_to_process(statement, place, source)
            return
        parts = map(file.text_of, (target.value, target.slice, statement.value))
        variables, key, value = parts
        edits.append(instead(file, statement, (f"{variables}.setdefault({key}, {value})",)))
    yield tuple(dict.fromkeys(edits))


def _handed_to_process(statement: ast.Assign, place: Frame, source: Source) -> Candidate:
    """`subprocess.Popen(..., env={**os.environ, "KEY": value})` in the one place of the method that
    starts a program, in place of the variable of the whole process, which nothing else reads.
    """
    file, around = source.files[place.file], source.around(place)
    (target,) = statement.targets
    key = target.slice if isinstance(target, ast.Subscript) else None
    name = key.value if isinstance(key, ast.Constant) else None
    uses = [
        node
        for other in source.files.values()
        for node in ast.walk(other.tree)
        if isinstance(node, ast.Constant) and node.value == name
    ]
    calls = [
        node
        for node in (ast.walk(around[1]) if around else ())
        if isinstance(node, ast.Call) and file.full_name(node.func) in STARTING
        if "env" not in {each.arg for each in node.keywords}
    ]
    if len(uses) != 1 or len(calls) != 1 or key is None or not isinstance(target, ast.Subscript):
        return ()
    variables, text = file.text_of(target.value), file.text_of(calls[0])
    entry = f"{file.text_of(key)}: {file.text_of(statement.value)}"
    started = f"{text[:-1].rstrip().rstrip(',')}, env={{**{variables}, {entry}}})"
    edits = replaced(file, [(calls[0], started)])
    lines = ("pass",) if is_alone(statement, file) else ()
    return (*edits, instead(file, statement, lines)) if edits else ()


def _is_renewed(value: ast.expr, place: Frame, source: Source) -> bool:
    """Return True for a value that is another one for each instance or episode: of variables of a
    method, of what other methods than the constructor are given or assign, and of calls.
    """
    around = source.around(place)
    if around is None:
        return False
    owner, method = around
    known = names_of_module(owner.file) | {"self", "str", "int"}
    if method.name == CONSTRUCTOR:
        known |= {each.arg for each in (*method.args.args, *method.args.kwonlyargs)}
    if not set(names_in(value)) <= known:
        return True
    names = own_attributes(value)
    return any(
        own_attribute(target) in names
        and (other.name != CONSTRUCTOR or any(isinstance(n, ast.Call) for n in ast.walk(assigned)))
        for each in source.chain
        for other in each.methods.values()
        for node in ast.walk(other)
        for target, assigned in assignments(node)
    )


def leave_to_process(_aim: LeaveToProcess, source: Source) -> Iterator[Candidate]:
    """Edits of close() without the one call of something that is the module's, not the instance's:
    `Simulator.clean()`.
    """
    owner, close = source.method("close") or (None, None)
    if owner is None or close is None:
        return
    calls = [
        node
        for node in ast.walk(close)
        if isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Call)
        and isinstance(node.value.func, ast.Attribute)
        and set(names_in(node.value)) <= names_of_module(owner.file)
    ]
    if len(calls) == 1:
        kept = "# the process keeps it: it is initialized only once"
        lines = (f"pass  {kept}",) if is_alone(calls[0], owner.file) else (kept,)
        yield (instead(owner.file, calls[0], lines),)


def unlink_mapped(_aim: UnlinkMapped, source: Source) -> Iterator[Candidate]:
    """Edits that unlink a temporary file below the line that maps it, where nothing uses its path
    after that.
    """
    for owner in source.chain:
        for method in owner.methods.values():
            edits = tuple(_unlinked(owner.file, method))
            yield (*edits, *needed(owner.file, ("os.",))) if edits else ()


def _unlinked(file: File, method: Function) -> Iterator[Edit]:
    paths = {
        last_name(target.elts[1])
        for node in ast.walk(method)
        for target, value in assignments(node)
        if called(value) == "mkstemp" and isinstance(target, ast.Tuple) and len(target.elts) == 2
    }
    for statement in (node for node in ast.walk(method) if isinstance(node, ast.Assign)):
        mapped = {
            node.args[0].id
            for node in ast.walk(statement)
            if isinstance(node, ast.Call) and called(node) == "memmap" and node.args
            if isinstance(node.args[0], ast.Name)
        }
        block = block_of(statement, method)
        after = block[block.index(statement) + 1 :]
        for path in sorted(mapped & paths):
            if not any(uses(each, path) for each in after):
                lines = (*statement_text(file, statement), f"os.unlink({path})")
                yield instead(file, statement, lines)


def _can_go(statement: ast.stmt, file: File) -> bool:
    """Return True if nothing uses the value of a statement."""
    if isinstance(statement, ast.Assign):
        (target, *others) = statement.targets
        variables = isinstance(target, ast.Subscript) and file.full_name(target.value)
        return variables == "os.environ" and not others
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call)


def is_alone(statement: ast.stmt, file: File) -> bool:
    """Return True if a block has no other statement."""
    return any(
        getattr(node, block, None) == [statement]
        for node in ast.walk(file.tree)
        for block in ("body", "orelse", "finalbody")
    )


def leave_out(aim: LeaveOut, source: Source) -> Iterator[Candidate]:
    """Edits without the entries of a key: those of dicts that are written down, and those that are
    put in afterwards.
    """
    edits: list[Edit] = []
    for owner in source.chain:
        for node in (each for method in owner.methods.values() for each in ast.walk(method)):
            if isinstance(node, ast.Dict) and aim.key in map(_constant, node.keys):
                edits += replaced(owner.file, [(node, without_entry(node, aim.key, owner.file))])
            elif isinstance(node, ast.Assign) and _is_entry(node.targets, aim.key):
                lines = ("pass",) if is_alone(node, owner.file) else ()
                edits.append(instead(owner.file, node, lines))
    yield tuple(dict.fromkeys(edits))


def _is_entry(targets: list[ast.expr], key: str) -> bool:
    (target, *others) = targets
    return isinstance(target, ast.Subscript) and _constant(target.slice) == key and not others


def _constant(node: ast.expr | None) -> object:
    return node.value if isinstance(node, ast.Constant) else None


def without_entry(node: ast.Dict, key: str, file: File) -> str:
    """The text of a dict that is written down, without the entry of a key."""
    parts = [
        f"{file.text_of(name)}: {file.text_of(value)}" if name else f"**{file.text_of(value)}"
        for name, value in zip(node.keys, node.values, strict=True)
        if _constant(name) != key
    ]
    return "{" + ", ".join(parts) + "}"


def log_prints(aim: LogPrints, source: Source) -> Iterator[Candidate]:
    """Edits that log what these lines print; none where one of them does not call print()."""
    edits: list[Edit] = []
    for place in aim.places:
        file, statement = source.files.get(place.file), source.statement_at(place)
        if file is None or not isinstance(statement, ast.Expr) or not _prints(statement.value):
            return
        assert isinstance(statement.value, ast.Call)
        text = _logged(statement.value, file)
        edits += [*replaced(file, [(statement.value, text)]), *needed(file, [text])]
    yield tuple(dict.fromkeys(edits))


def _prints(node: ast.expr) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "print"
        and bool(node.args)
        and not node.keywords
        and not any(isinstance(argument, ast.Starred) for argument in node.args)
    )


def _logged(call: ast.Call, file: File) -> str:
    """The call of a logger with the same text: that of the file, where it has one."""
    logger = next(_loggers(file), LOGGER)
    texts = [file.text_of(argument) for argument in call.args]
    if len(texts) == 1 and isinstance(call.args[0], ast.JoinedStr | ast.Constant):
        return f"{logger}.info({texts[0]})"
    words = [_word(argument) for argument in call.args]
    values = [text for text, word in zip(texts, words, strict=True) if word == PLACEHOLDER]
    listed = "".join(f", {value}" for value in values)
    return f'{logger}.info("{" ".join(words)}"{listed})'


def _loggers(file: File) -> Iterator[str]:
    """The names of the module that have a logger."""
    for node in file.tree.body:
        for target, value in assignments(node):
            made = file.full_name(value.func) if isinstance(value, ast.Call) else ""
            if isinstance(target, ast.Name) and made == "logging.getLogger":
                yield target.id


def _word(argument: ast.expr) -> str:
    """A plain text that is printed, as a part of the pattern; the place of another value."""
    text = argument.value if isinstance(argument, ast.Constant) else None
    is_plain = isinstance(text, str) and not set(text) & set('%"\\\n')
    return text if is_plain and isinstance(text, str) else PLACEHOLDER
