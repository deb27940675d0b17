"""Edits with which an environment leaves to the process what belongs to it: the working directory,
signals, ports.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from envdoctor.model.environment_aims import (
    FreePort,
    LeaveSignals,
    LimitInMainThread,
    NameBeside,
    StayInDirectory,
)
from envdoctor.model.remedy import BEFORE, INSTEAD, Edit
from envdoctor.remedies.applying import statement_text
from envdoctor.remedies.needing import needed
from envdoctor.remedies.removing import is_alone
from envdoctor.remedies.source import (
    CONSTRUCTOR,
    Candidate,
    File,
    Function,
    OwningClass,
    Source,
    assignments,
    function_at,
    instead,
    last_name,
    names_in,
    names_of_module,
    own_attribute,
    replaced,
)

MAIN = "in_main_thread"
BINDING = ("bind", "create_server")
TEST = (
    f"{MAIN} = threading.current_thread() is threading.main_thread()",
    f"if not {MAIN}:",
    '    warnings.warn("no time limit outside of the main thread", stacklevel=2)',
)
LIMITS = ("signal.signal", "signal.alarm", "signal.setitimer")
#: Functions whose first argument is the path of a file.
READERS = re.compile(
    r"^(open|imread|load|loadtxt|read_csv|read_json|read_parquet|from_xml_path|loadURDF|listdir"
    r"|exists|isfile|isdir|makedirs|mkdir|glob|parse)$"
)
BESIDE = "os.path.dirname(__file__)"
PATHS = ("pathlib.Path", "pathlib.PurePath")
WHERE = ("os.getcwd", "pathlib.Path.cwd", "os.path.abspath", "subprocess.Popen", "subprocess.run")


def leave_signals(aim: LeaveSignals, source: Source) -> Iterator[Candidate]:
    """Edits without the calls of signal.signal() in these lines, whose value nothing uses."""
    edits: list[Edit] = []
    for place in aim.places:
        file, statement = source.files.get(place.file), source.statement_at(place)
        call = statement.value if isinstance(statement, ast.Expr) else None
        if file is None or not isinstance(call, ast.Call) or last_name(call.func) != "signal":
            return
        assert statement is not None
        edits.append(instead(file, statement, ("pass",) if is_alone(statement, file) else ()))
    yield tuple(dict.fromkeys(edits))


def stay_in_directory(aim: StayInDirectory, source: Source) -> Iterator[Candidate]:
    """Edits without a call of os.chdir(), in whose class each file is named by its full path; none
    where something else may depend on the directory.
    """
    around, statement = source.around(aim.place), source.statement_at(aim.place)
    call = statement.value if isinstance(statement, ast.Expr) else None
    if around is None or statement is None or not isinstance(call, ast.Call):
        return
    owner, _ = around
    if owner.file.full_name(call.func) != "os.chdir" or len(call.args) != 1:
        return
    if not _is_known_everywhere(call.args[0], owner.file):
        return
    folder = owner.file.text_of(call.args[0])
    named = list(_named_files(owner, folder))
    if not named or _asks_where_it_is(owner):
        return
    edits = replaced(owner.file, named)
    texts = [text for _, text in named]
    lines = ("pass",) if is_alone(statement, owner.file) else ()
    if edits:
        yield (instead(owner.file, statement, lines), *edits, *needed(owner.file, texts))


def _is_known_everywhere(node: ast.expr, file: File) -> bool:
    """Return True if an expression has the same value in each method: of names of the module and
    of attributes alone.
    """
    known = names_of_module(file) | {"self", "str"}
    return set(names_in(node)) <= known


def _asks_where_it_is(owner: OwningClass) -> bool:
    """Return True if a class reads the directory, starts a program there, or opens a path that
    cannot be seen here.
    """
    calls = [node for node in ast.walk(owner.node) if isinstance(node, ast.Call)]
    variables = [
        call.args[0]
        for call in calls
        if last_name(call.func) == "open" and call.args[:1] and isinstance(call.func, ast.Name)
    ]
    return any(owner.file.full_name(call.func) in WHERE for call in calls) or any(
        isinstance(each, ast.Name | ast.Attribute) for each in variables
    )


def _named_files(owner: OwningClass, folder: str) -> Iterator[tuple[ast.expr, str]]:
    """The relative paths that the methods of a class name, and these in the folder."""
    for node in ast.walk(owner.node):
        if not isinstance(node, ast.Call) or not node.args or not _is_relative(node.args[0]):
            continue
        path = owner.file.text_of(node.args[0])
        if owner.file.full_name(node.func) in PATHS:
            yield node.args[0], f"{folder}, {path}"
        elif READERS.search(last_name(node.func)):
            yield node.args[0], f"os.path.join({folder}, {path})"


def name_beside(aim: NameBeside, source: Source) -> Iterator[Candidate]:
    """Edits of the path of a file, or of a folder of it, that begin where the code is."""
    edits: list[Edit] = []
    for owner in source.chain:
        named = [
            (node, text)
            for node, text in _named_files(owner, BESIDE)
            if isinstance(node, ast.Constant) and isinstance(node.value, str)
            if f"{aim.path}/".startswith(f"{node.value}/")
        ]
        edits += [*replaced(owner.file, named), *needed(owner.file, [text for _, text in named])]
    yield tuple(edits)


def _is_relative(node: ast.expr) -> bool:
    if isinstance(node, ast.JoinedStr) and node.values:  # joined to a folder, /a stays /a
        return isinstance(node.values[0], ast.FormattedValue) or _is_relative(node.values[0])
    text = node.value if isinstance(node, ast.Constant) else None
    return isinstance(text, str) and text[:1] not in ("", "/", "~", ".") and "://" not in text


def limit_in_main_thread(aim: LimitInMainThread, source: Source) -> Iterator[Candidate]:
    """Edits with which a function asks for a signal only where it is in the main thread, and warns
    elsewhere that its time has no limit: other threads cannot be interrupted.
    """
    file = source.files.get(aim.place.file)
    function = function_at(file, aim.place.line) if file else None
    if file is None or function is None or MAIN in names_in(function):
        return
    groups = list(_limiting(function, file))
    inside = [node for group in groups for statement in group for node in ast.walk(statement)]
    assigned = {
        node.id for node in inside if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
    mentioned = [name for name in names_in(function) if name in assigned]
    within = [node for node in inside if isinstance(node, ast.Name) and node.id in assigned]
    if not groups or len(mentioned) != len(within):
        return
    first = function.body[1] if ast.get_docstring(function) else function.body[0]
    edits = [_guarded(group, file) for group in groups]
    if first is groups[0][0]:
        lines = (*TEST, *edits[0].lines)
        start, end = edits[0].line, edits[0].end
        edits[0] = Edit(file.path, INSTEAD, lines, line=start, end=end)
    else:
        edits.insert(0, Edit(file.path, BEFORE, TEST, line=first.lineno))
    yield (*edits, *needed(file, TEST))


def _limiting(function: Function, file: File) -> Iterator[list[ast.stmt]]:
    """Statements in a row that ask for a signal, from the top."""
    blocks = [
        block
        for node in ast.walk(function)
        for name in ("body", "orelse", "finalbody")
        if isinstance(block := getattr(node, name, None), list)
    ]
    groups: list[list[ast.stmt]] = []
    for block in blocks:
        row: list[ast.stmt] = []
        for statement in (*block, None):
            if statement is not None and _asks_for_signal(statement, file):
                row.append(statement)
            elif row:
                groups.append(row)
                row = []
    yield from sorted(groups, key=lambda group: group[0].lineno)


def _asks_for_signal(statement: ast.stmt, file: File) -> bool:
    call = statement.value if isinstance(statement, ast.Expr | ast.Assign) else None
    return isinstance(call, ast.Call) and file.full_name(call.func) in LIMITS


def _guarded(group: list[ast.stmt], file: File) -> Edit:
    lines = [f"    {line}" for statement in group for line in statement_text(file, statement)]
    last = group[-1].end_lineno or group[-1].lineno
    return Edit(file.path, INSTEAD, (f"if {MAIN}:", *lines), line=group[0].lineno, end=last)


def free_port(aim: FreePort, source: Source) -> Iterator[Candidate]:
    """Edits of `server.bind((host, port))`, after which the same function asks the socket for its
    port: port 0 is a free one. Else of the port's number, where the files have it once.
    """
    file = source.files.get(aim.place.file)
    function = function_at(file, aim.place.line) if file else None
    if file is None or function is None:
        return
    yield from _free_port_of_function(file, function)
    port = aim.port or _number_of(_bound_port(function), source)
    numbers = [
        (other, node)
        for other in source.files.values()
        for node in ast.walk(other.tree)
        if isinstance(node, ast.Constant) and type(node.value) is int and node.value == port
    ]
    for other, node in numbers if port and len(numbers) == 1 else ():
        yield replaced(other, [(node, "0")])


def _bound_port(function: Function) -> ast.expr | None:
    """`self.port` of the one `server.bind((host, self.port))` in a function."""
    addresses = [
        node.args[0]
        for node in ast.walk(function)
        if isinstance(node, ast.Call) and last_name(node.func) in BINDING and node.args
    ]
    address = addresses[0] if len(addresses) == 1 else None
    is_pair = isinstance(address, ast.Tuple) and len(address.elts) == 2
    return address.elts[1] if is_pair and isinstance(address, ast.Tuple) else None


def _number_of(port: ast.expr | None, source: Source) -> int:
    """The number that a port is written down as: there, as a constant of the module, or as the
    default of the argument that the constructor keeps; 0 for other ones.
    """
    values = [
        value
        for file in source.files.values()
        for node in file.tree.body
        for target, value in assignments(node)
        if isinstance(port, ast.Name) and last_name(target) == port.id
    ]
    for owner in source.chain:
        made = owner.methods.get(CONSTRUCTOR)
        plain = made.args.args[::-1] if made else []
        defaults = made.args.defaults[::-1] if made else []
        by_name = {each.arg: value for each, value in zip(plain, defaults, strict=False)}
        for node in ast.walk(made) if made else ():
            for target, value in assignments(node):
                if own_attribute(port) and own_attribute(target) == own_attribute(port):
                    values.append(by_name.get(last_name(value), value))
    number = values[0] if len(values) == 1 else port
    return number.value if isinstance(number, ast.Constant) and type(number.value) is int else 0


def _free_port_of_function(file: File, function: Function) -> Iterator[Candidate]:
    texts: list[tuple[ast.expr, str]] = []
    for node in ast.walk(function):
        if not isinstance(node, ast.Call) or last_name(node.func) != "bind" or not node.args:
            continue
        address = node.args[0]
        assert isinstance(node.func, ast.Attribute)
        asks = f"{file.text_of(node.func.value)}.getsockname"
        is_asked = any(file.text_of(each) == asks for each in ast.walk(function))
        if isinstance(address, ast.Tuple) and len(address.elts) == 2 and is_asked:
            texts.append((address.elts[1], "0"))
    yield replaced(file, [(port, text) for port, text in texts if file.text_of(port) != text])
