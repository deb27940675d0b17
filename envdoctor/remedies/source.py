"""The user's source files as syntax trees: which class is where, what its methods do."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from pathlib import PurePath

from envdoctor.discovery.syntax import full_name, imported
from envdoctor.frameworks import DEFAULT, Profile
from envdoctor.model.errors import Frame
from envdoctor.model.fast_dataclass import dataclass
from envdoctor.model.remedy import INSTEAD, Edit

Candidate = tuple[Edit, ...]  # what reaches an aim
Function = ast.FunctionDef | ast.AsyncFunctionDef
CONSTRUCTOR = "__init__"
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
#: What makes a generator of random numbers that can be seeded, of NumPy's and of Python's.
GENERATORS = ("default_rng", "RandomState", "Random")


@dataclass(frozen=True)
class File:
    """One source file. Raises SyntaxError where it is not Python, when it is looked into. `data`
    are the bytes that the text was read from.
    """

    path: str
    text: str
    data: bytes = b""

    @cached_property
    def tree(self) -> ast.Module:
        """Its syntax tree."""
        return ast.parse(self.text)

    @cached_property
    def lines(self) -> tuple[str, ...]:
        """Its lines, as Python counts them, without their ends: a form feed begins none."""
        return tuple(self.text.removesuffix("\n").split("\n"))

    @cached_property
    def classes(self) -> dict[str, ast.ClassDef]:
        """Its classes by name, those inside of others too."""
        return {node.name: node for node in ast.walk(self.tree) if isinstance(node, ast.ClassDef)}

    @cached_property
    def imported(self) -> dict[str, str]:
        """The names that its import statements bind: {"np": "numpy", "Path": "pathlib.Path"}."""
        return imported(self.tree)

    @cached_property
    def calls(self) -> frozenset[int]:
        """The identities of its calls: a node does not know its file."""
        return frozenset(id(node) for node in ast.walk(self.tree) if isinstance(node, ast.Call))

    def text_of(self, node: ast.AST) -> str:
        """The text of an expression or statement."""
        return ast.get_source_segment(self.text, node) or ""

    def full_name(self, node: ast.AST | None) -> str:
        """`numpy.random.uniform` of `np.random.uniform`; names that are not imported stay."""
        return full_name(node, self.imported)


@dataclass(frozen=True)
class OwningClass:
    """A class and its file."""

    file: File
    node: ast.ClassDef

    @property
    def name(self) -> str:
        """Its name."""
        return self.node.name

    @cached_property
    def methods(self) -> dict[str, Function]:
        """The methods that it defines itself; accessors and overloads count once."""
        return {
            node.name: node
            for node in self.node.body
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        }

    def method(self, name: str) -> Function | None:
        """Its own method of this name."""
        return self.methods.get(name)


@dataclass(frozen=True)
class Source:
    """The user's own source: the files, the innermost class of the environment, and the profile of
    the framework whose API it follows.
    """

    files: Mapping[str, File]
    class_name: str
    class_file: str
    framework: Profile = DEFAULT

    @cached_property
    def chain(self) -> tuple[OwningClass, ...]:
        """The class and those of its bases that are the user's, in the order of lookup."""
        owners: dict[ast.ClassDef, OwningClass] = {}
        waiting = [self.owner(self.class_name)]
        while waiting:
            owner = waiting.pop(0)
            if owner is not None and owner.node not in owners:
                owners[owner.node] = owner
                waiting += [self._base(owner.file, base) for base in owner.node.bases]
        return tuple(owners.values())

    def _base(self, file: File, base: ast.expr) -> OwningClass | None:
        """The class that a file names as a base: of its module where that is known, since a class
        may have the name of its base (`class Arm(env.Arm)`).
        """
        module, _, name = file.full_name(base).rpartition(".")
        for other in self.files.values() if module else ():
            if PurePath(other.path).stem == module.rpartition(".")[2] and name in other.classes:
                return OwningClass(other, other.classes[name])
        return self.owner(ast.unparse(base).rpartition(".")[2])

    def owner(self, name: str) -> OwningClass | None:
        """The class of this name; that of the environment's own file first."""
        ordered = sorted(self.files.values(), key=lambda file: file.path != self.class_file)
        for file in ordered:
            if name in file.classes:
                return OwningClass(file, file.classes[name])
        return None

    def class_made_by(self, call: ast.expr | None) -> OwningClass | None:
        """The class of the user's own of which a call makes an instance: not of another module that
        has one of the name. Case: threading.Timer, and a Timer of a module of the project.
        """
        if not isinstance(call, ast.Call):
            return None
        owner = self.owner(last_name(call.func))
        file = next((each for each in self.files.values() if id(call) in each.calls), None)
        full = file.full_name(call.func) if file is not None and owner is not None else ""
        root = full.partition(".")[0]
        is_imported = file is not None and "." in full and root in _roots(file)
        known = {part for path in self.files for part in PurePath(path).with_suffix("").parts}
        return None if is_imported and root not in known else owner

    def around(self, frame: Frame) -> tuple[OwningClass, Function] | None:
        """The class and the method around the line of a frame."""
        file = self.files.get(frame.file)
        if file is None:
            return None
        for node in file.classes.values():
            owner = OwningClass(file, node)
            for method in owner.methods.values():
                if method.lineno <= frame.line <= (method.end_lineno or method.lineno):
                    return owner, method
        return None

    def statement_at(self, frame: Frame) -> ast.stmt | None:
        """The innermost statement that covers the line of a frame."""
        file = self.files.get(frame.file)
        return innermost(file, frame.line) if file else None

    def method(self, name: str) -> tuple[OwningClass, Function] | None:
        """The method that an instance has: of the class, or of the nearest base that is known."""
        for owner in self.chain:
            if name in owner.methods:
                return owner, owner.methods[name]
        return None

    def assigned(self, attribute: str) -> Iterator[tuple[OwningClass, ast.expr]]:
        """Yield the values that the methods of the class assign to `self.attribute`."""
        for name, owner, value in self._assigned:
            if name == attribute:
                yield owner, value

    @cached_property
    def _assigned(self) -> tuple[tuple[str, OwningClass, ast.expr], ...]:
        """The values that the methods of the class assign to any attribute."""
        return tuple(
            (own_attribute(target), owner, value)
            for owner in self.chain
            for node in ast.walk(owner.node)
            for target, value in assignments(node)
        )

    def has_at_once(self, attribute: str) -> bool:
        """Return True if an instance has the attribute before its first reset()."""
        for owner in self.chain:
            made = owner.methods.get(CONSTRUCTOR)
            inside = ast.walk(made) if made else ()
            of_class = (last_name(to) for node in owner.node.body for to, _ in assignments(node))
            of_instance = (own_attribute(to) for node in inside for to, _ in assignments(node))
            if attribute in (*of_class, *of_instance):
                return True
        return False

    def held(self, attribute: str) -> str:
        """The text of what an attribute holds, which is None where an instance does not have it."""
        holder, _, name = f"self.{attribute}".rpartition(".")
        deleted = {
            own_attribute(target)
            for owner in self.chain
            for node in ast.walk(owner.node)
            if isinstance(node, ast.Delete)
            for target in node.targets
        }
        is_there = holder == "self" and name not in deleted and self.has_at_once(name)
        return f"self.{name}" if is_there else f'getattr({holder}, "{name}", None)'

    def holder_of(self, kind: str) -> tuple[str, str]:
        """The attribute of the environment that holds an instance of this class, or of one that
        inherits from it, and the name of that class; two empty texts where there is none.
        """
        for owner in self.chain:
            for node in ast.walk(owner.node):
                for target, value in assignments(node):
                    name, made = own_attribute(target), self.class_made_by(value)
                    if name and made and kind in {each.name for each in self.of(made.name).chain}:
                        return name, made.name
        return "", ""

    def of(self, name: str, file: str = "") -> Source:
        """Return the files as the source of another class."""
        return replace(self, class_name=name, class_file=file or self.class_file)

    def is_environment(self, owner: OwningClass) -> bool:
        """Return True if a class is an environment or a wrapper: it resets and steps, or inherits
        that.
        """
        chain = self.of(owner.name, owner.file.path).chain
        wraps = any(
            last_name(base).endswith("Wrapper") for each in chain for base in each.node.bases
        )
        return wraps or any("reset" in each.methods and "step" in each.methods for each in chain)


def _roots(file: File) -> set[str]:
    """The packages, and modules without one, that a file imports."""
    return {full.partition(".")[0] for full in file.imported.values()}


def calls_inherited(method: Function) -> bool:
    """Return True if a method calls the one of its base: super().close(), or Base.close(self)."""
    return any(
        isinstance(node, ast.Call)
        and last_name(node.func) == method.name
        and isinstance(node.func, ast.Attribute)
        and (called(node.func.value) == "super" or _takes_self(node))
        for node in ast.walk(method)
    )


def _takes_self(call: ast.Call) -> bool:
    first = call.args[0] if call.args else None
    return isinstance(first, ast.Name) and first.id == "self"


def innermost(file: File, line: int) -> ast.stmt | None:
    """The innermost statement that covers a line."""
    statement: ast.stmt | None = None
    for node in ast.walk(file.tree):
        if not isinstance(node, ast.stmt) or (statement and node.lineno < statement.lineno):
            continue
        if node.lineno <= line <= (node.end_lineno or node.lineno):
            statement = node
    return statement


def assignments(node: ast.AST) -> Iterator[tuple[ast.expr, ast.expr]]:
    """(target, value) of each part of an assignment; tuples are taken apart."""
    if isinstance(node, ast.AnnAssign) and node.value is not None:
        yield node.target, node.value
    for target in node.targets if isinstance(node, ast.Assign) else ():
        assert isinstance(node, ast.Assign)
        if (
            isinstance(target, ast.Tuple)
            and isinstance(node.value, ast.Tuple)
            and len(target.elts) == len(node.value.elts)
        ):
            yield from zip(target.elts, node.value.elts, strict=True)
        else:
            yield target, node.value


def own_attribute(node: ast.AST | None) -> str:
    """`name` of `self.name`."""
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        return node.attr if node.value.id == "self" else ""
    return ""


def own_attributes(node: ast.AST) -> set[str]:
    """The attributes of `self` that code uses."""
    return {own_attribute(each) for each in ast.walk(node)} - {""}


def last_name(node: ast.AST | None) -> str:
    """`Thread` of `threading.Thread`."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def is_empty(node: ast.expr) -> bool:
    """Return True if a value is a constant or an empty container: each use of it makes a new
    one.
    """
    if isinstance(node, ast.List | ast.Tuple | ast.Set):
        return not node.elts
    if isinstance(node, ast.Dict):
        return not node.keys
    if isinstance(node, ast.Call):
        is_container = called(node) in ("dict", "list", "set", "deque")
        return is_container and not (node.args or node.keywords)
    return isinstance(node, ast.Constant)


def takes(method: Function, name: str) -> bool:
    """Return True if a method has an argument of this name."""
    return name in {each.arg for each in (*method.args.args, *method.args.kwonlyargs)}


def called(node: ast.AST | None) -> str:
    """`Thread` of `threading.Thread(...)`."""
    return last_name(node.func) if isinstance(node, ast.Call) else ""


def instead(file: File, statement: ast.stmt, lines: tuple[str, ...]) -> Edit:
    """The edit that puts lines in the place of a statement."""
    end = statement.end_lineno or statement.lineno
    return Edit(file.path, INSTEAD, lines, line=statement.lineno, end=end)


def removed(file: File, statement: ast.stmt) -> Edit:
    """The edit that leaves out a statement, with the `if` whose only one it is."""
    around = next(
        (
            each
            for each in ast.walk(file.tree)
            if isinstance(each, ast.If)
            and not each.orelse
            and each.body == [statement]
            and file.text_of(each).startswith("if")
        ),
        None,
    )
    if around is not None:
        return removed(file, around)
    blocks = (
        block
        for node in ast.walk(file.tree)
        for _, block in ast.iter_fields(node)
        if isinstance(block, list)
    )
    return instead(file, statement, ("pass",) if [statement] in blocks else ())


def without_gap(file: File, statement: ast.stmt) -> Edit:
    """The edit that leaves out a statement, and the empty lines below it."""
    end = statement.end_lineno or statement.lineno
    while end < len(file.lines) and not file.lines[end].strip():
        end += 1
    return Edit(file.path, INSTEAD, (), line=statement.lineno, end=end)


def replaced(file: File, texts: Iterable[tuple[ast.expr | ast.arg, str]]) -> tuple[Edit, ...]:
    """Texts in the place of expressions; none where one of these stands on several lines. Columns
    of the tree count bytes.
    """
    lines: dict[int, bytes] = {}
    for node, text in sorted(texts, key=lambda each: -each[0].col_offset):
        if node.end_lineno != node.lineno:
            return ()
        line = lines.get(node.lineno, file.lines[node.lineno - 1].encode())
        lines[node.lineno] = line[: node.col_offset] + text.encode() + line[node.end_col_offset :]
    return tuple(
        Edit(file.path, INSTEAD, (line.decode().strip(),), line=number)
        for number, line in lines.items()
    )


def name_of_made(node: ast.stmt) -> str:
    """`env` of `env = make()`; nothing of others."""
    if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.Call):
        return ""
    target = node.targets[0]
    return target.id if len(node.targets) == 1 and isinstance(target, ast.Name) else ""


def uses(node: ast.AST, name: str) -> int:
    """The number of times that the code has a name."""
    return names_in(node).count(name)


def names_in(node: ast.AST) -> list[str]:
    """The names in the code, each as often as it is there."""
    return [each.id for each in ast.walk(node) if isinstance(each, ast.Name)]


def names_from_around(node: ast.AST) -> set[str]:
    """The names that code takes from its module, or binds there: not the arguments and variables of
    its functions.
    """
    if isinstance(node, ast.Name):
        return {node.id}
    inside = node.body if isinstance(node, _FUNCTIONS) else ()
    names = {
        name
        for child in ast.iter_child_nodes(node)
        if child not in inside
        for name in names_from_around(child)
    }
    return names | {name for each in inside for name in names_from_around(each)} - _own_names(node)


def _own_names(function: ast.AST) -> set[str]:
    """The arguments and variables of a function, without those of the functions in it."""
    if not isinstance(function, _FUNCTIONS):
        return set()
    own = {each.arg for each in ast.walk(function.args) if isinstance(each, ast.arg)}
    waiting: list[ast.AST] = list(function.body)
    shared: set[str] = set()
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            own.add(node.id)
        if isinstance(node, ast.Global | ast.Nonlocal):
            shared |= set(node.names)
        if not isinstance(node, (*_FUNCTIONS, ast.Lambda, ast.ClassDef)):
            waiting += ast.iter_child_nodes(node)
    return own - shared


def stored_in(node: ast.AST) -> Iterator[str]:
    """Yield the names that the code binds, or deletes."""
    for each in ast.walk(node):
        if isinstance(each, ast.Name) and not isinstance(each.ctx, ast.Load):
            yield each.id


def names_of_module(file: File) -> set[str]:
    """The names that the top level of a file defines, and those that it imports."""
    defined = {
        node.name
        for node in file.tree.body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
    }
    variables = {
        target.id
        for node in file.tree.body
        for target, _ in assignments(node)
        if isinstance(target, ast.Name)
    }
    return {*file.imported, *defined, *variables}


def function_at(file: File, line: int) -> Function | None:
    """The innermost function around a line."""
    around = [
        node
        for node in ast.walk(file.tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and node.lineno <= line <= (node.end_lineno or node.lineno)
    ]
    return max(around, key=lambda node: node.lineno, default=None)


def blocks(node: ast.AST) -> Iterator[list[ast.stmt]]:
    """Yield each list of statements in the code, the outermost first."""
    for each in ast.walk(node):
        for field in ("body", "orelse", "finalbody"):
            block = getattr(each, field, None)
            if isinstance(block, list):
                yield block


def block_of(statement: ast.stmt, node: ast.AST) -> list[ast.stmt]:
    """The list of statements in the code that has this one; empty where none has."""
    return next((block for block in blocks(node) if statement in block), [])
