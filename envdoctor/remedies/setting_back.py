"""Edits with which a seed decides all that follows it: reset() sets back what an episode leaves."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from envdoctor.model.environment_aims import ObserveFirst, SeedMade, SetBack, SortSets
from envdoctor.model.remedy import FIRST, LAST, Edit
from envdoctor.remedies.applying import STEP as INDENT
from envdoctor.remedies.applying import statement_text
from envdoctor.remedies.source import (
    CONSTRUCTOR,
    GENERATORS,
    Candidate,
    File,
    Function,
    OwningClass,
    Source,
    assignments,
    called,
    instead,
    last_name,
    names_in,
    own_attribute,
    replaced,
    takes,
)

RESET, STEP, SEED = "reset", "step", "seed"
FRESH = ("numpy.zeros", "numpy.ones", "numpy.full", "collections.deque")
#: Names of what is meant to outlive an episode.
LASTING = re.compile(r"mean|var|std|rms|count|total|stat|best|weight|polic|epsilon|level|episode")
CHANGING = ("append", "appendleft", "extend", "fill", "pop", "popleft", "clear", "rotate", "put")
SETS = ("set", "frozenset")
ORDERED = ("list", "tuple", "enumerate", "iter")


def set_back(aim: SetBack, source: Source) -> Iterator[Candidate]:
    """Edits of reset(), or of that of an object that it resets: arrays that the constructor makes,
    and what methods of such an object change, get their first values again. Where the attribute is
    known, it is that alone, by the reset() of its object where there is one.
    """
    reset = source.method(RESET)
    if reset is None:
        return
    owner = reset[0]
    if aim.resets:
        call = f"{aim.name.rpartition('.')[0]}.{RESET}()"
        yield (Edit(owner.file.path, FIRST, (call,), owner.name, RESET),)
    if aim.setter:
        yield from _set_again(aim, owner, source.owner(aim.owner))
    for only in (aim.name, "") if aim.name else ("",):
        yield tuple(_first_values_again(source, *reset, only))
    yield _constant_again(source, *reset, aim.name)
    yield from _begun_anew(owner, reset[1])


def _set_again(aim: SetBack, owner: OwningClass, held: OwningClass | None) -> Iterator[Candidate]:
    """Edits with which reset() of the object that has the attribute, or of the environment, ends by
    the method that sets it.
    """
    path = aim.name.rpartition(".")[0]
    if held is not None and held.name != owner.name and RESET in held.methods:
        yield (Edit(held.file.path, LAST, (f"self.{aim.setter}()",), held.name, RESET),)
    yield (Edit(owner.file.path, LAST, (f"{path}.{aim.setter}()",), owner.name, RESET),)


def _begun_anew(owner: OwningClass, reset: Function) -> Iterator[Candidate]:
    """Edits with which a seed of reset(), which did not heed it, begins anew what a seed of the
    constructor begins: that does no more than to set attributes.
    """
    made = owner.methods.get(CONSTRUCTOR)
    body = made.body if made is not None else []
    if made is None or [each.arg for each in made.args.args] != ["self", SEED]:
        return
    nodes = [each for each in ast.walk(reset) if isinstance(each, ast.Name) and each.id == SEED]
    heeds = any(isinstance(each.ctx, ast.Load) for each in nodes)
    sets = [own_attribute(target) for each in body for target, _ in assignments(each)]
    is_plain = all(isinstance(each, ast.Assign) for each in body) and all(sets)
    if takes(reset, SEED) and is_plain and not heeds:
        text = (line for each in body for line in statement_text(owner.file, each))
        lines = (f"if {SEED} is not None:", *(f"{INDENT}{line}" for line in text))
        yield (Edit(owner.file.path, FIRST, lines, owner.name, RESET),)


def observe_first(_aim: ObserveFirst | SetBack, source: Source) -> Iterator[Candidate]:
    """Edits of reset() of the environment, or of an object of the user's, with which it ends as
    step() does: by a call of its own, such as `self.update_observations()`.
    """
    own = {owner.node for owner in source.chain}
    classes = [(file, node) for file in source.files.values() for node in file.classes.values()]
    for file, node in sorted(classes, key=lambda each: each[1] not in own):
        owner = OwningClass(file, node)
        reset, step = owner.methods.get(RESET), owner.methods.get(STEP)
        done = {own_attribute(each.func) for each in _calls(reset)} if reset else set[str]()
        for name in _updates(step) if step and reset else ():
            if name in owner.methods and name not in done:
                yield (Edit(file.path, LAST, (f"self.{name}()",), owner.name, RESET),)


def _calls(code: ast.AST) -> list[ast.Call]:
    return [node for node in ast.walk(code) if isinstance(node, ast.Call)]


def _updates(step: Function) -> Iterator[str]:
    """The methods that step() always calls as statements, without arguments."""
    for each in step.body:
        call = each.value if isinstance(each, ast.Expr) else None
        if isinstance(call, ast.Call) and own_attribute(call.func) and not call.args:
            yield own_attribute(call.func)


def _first_values_again(
    source: Source, owner: OwningClass, method: Function, only: str
) -> Iterator[Edit]:
    for line in _own_arrays(source):
        if only in ("", line.partition(" = ")[0]):
            yield Edit(owner.file.path, FIRST, (line,), owner.name, RESET)
    for name, held in _held_objects(source):
        if held.file.path == owner.file.path:
            yield from _of_held(name, held, owner, method, source, only)


def _constant_again(source: Source, owner: OwningClass, reset: Function, name: str) -> Candidate:
    """Edits with which the attribute that a finding names, a constant of the constructor, gets it
    again; where reset() does that already in a branch of its own, each time.
    """
    for each in source.chain:
        for attribute, value in _made_in_constructor(each):
            if f"self.{attribute}" != name or not isinstance(value, ast.Constant):
                continue
            line = f"{name} = {each.file.text_of(value)}"
            branches = [
                node
                for node in reset.body
                if isinstance(node, ast.If) and [ast.unparse(part) for part in node.body] == [line]
            ]
            if branches and not branches[0].orelse:
                return (instead(owner.file, branches[0], (line,)),)
            is_set = branches or _sets(reset, attribute)
            return () if is_set else (Edit(owner.file.path, FIRST, (line,), owner.name, RESET),)
    return ()


def _own_arrays(source: Source) -> Iterator[str]:
    """The lines that make arrays of the environment anew."""
    reset = source.method(RESET)
    for owner in source.chain:
        for name, value in _made_in_constructor(owner):
            is_array = _is_fresh(value, owner.file) and not LASTING.search(name)
            changed = any(
                _changes(method, name)
                for each in source.chain
                for method in each.methods.values()
                if method.name not in (CONSTRUCTOR, RESET)
            )
            if is_array and changed and reset and not _sets(reset[1], name):
                yield f"self.{name} = {owner.file.text_of(value)}"


def _made_in_constructor(owner: OwningClass) -> Iterator[tuple[str, ast.expr]]:
    method = owner.methods.get(CONSTRUCTOR)
    for statement in method.body if method else ():
        for target, value in assignments(statement):
            if own_attribute(target):
                yield own_attribute(target), value


def _is_fresh(value: ast.expr, file: File) -> bool:
    """Return True for a new array or deque that names of the module alone describe."""
    if not isinstance(value, ast.Call) or file.full_name(value.func) not in FRESH:
        return False
    of_module = {last_name(to) for node in file.tree.body for to, _ in assignments(node)}
    return set(names_in(value)) <= of_module | set(file.imported) | {"float", "int", "bool"}


def _changes(method: Function, name: str) -> bool:
    """Return True if a method changes an attribute of its object."""
    return any(_is_change(node, name) for node in ast.walk(method))


def _is_change(node: ast.AST, name: str) -> bool:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return own_attribute(node.func.value) == name and node.func.attr in CHANGING
    if isinstance(node, ast.AugAssign):
        return _target(node.target) == name
    return any(_target(target) == name for target, _ in assignments(node))


def _target(node: ast.expr) -> str:
    return own_attribute(node.value if isinstance(node, ast.Subscript) else node)


def _sets(method: Function, name: str) -> bool:
    """Return True if a method sets an attribute each time, or counts with it."""
    counts = any(
        isinstance(node, ast.AugAssign) and _target(node.target) == name
        for node in ast.walk(method)
    )
    return counts or any(_is_change(statement, name) for statement in method.body)


def _held_objects(source: Source) -> Iterator[tuple[str, OwningClass]]:
    """The attributes that hold objects of the user's own classes, and these."""
    names: set[str] = set()
    for owner in source.chain:
        for node in ast.walk(owner.node):
            for target, value in assignments(node):
                name = own_attribute(target)
                held = source.owner(_class_called(value, source)) if name else None
                if held is not None and name not in names and not source.is_environment(held):
                    names.add(name)
                    yield name, held


def _class_called(value: ast.expr, source: Source) -> str:
    """The class that an expression calls: by its name, or by an attribute of the class."""
    name = called(value)
    for owner in source.chain:
        for node in owner.node.body:
            for target, kind in assignments(node):
                if last_name(target) == name and isinstance(kind, ast.Name):
                    return kind.id
    return name


def _of_held(
    name: str, held: OwningClass, owner: OwningClass, reset: Function, source: Source, only: str
) -> Iterator[Edit]:
    called_in_reset = [
        node.func.attr
        for node in ast.walk(reset)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and own_attribute(node.func.value) == name
    ]
    set_there = [held.methods[each] for each in called_in_reset if each in held.methods]
    lines = [
        (attribute, value)
        for attribute, value in _first_values(held)
        if not any(_sets(method, attribute) for method in set_there)
        and only in ("", f"self.{name}.{attribute}")
    ]
    if not lines:
        return
    if RESET in called_in_reset and RESET in held.methods:
        texts = tuple(f"self.{attribute} = {value}" for attribute, value in lines)
        yield Edit(held.file.path, LAST, texts, held.name, RESET)
        return
    texts = tuple(f"    self.{name}.{attribute} = {value}" for attribute, value in lines)
    if not any("self." in value for _, value in lines):
        test = f"if {source.held(name)} is not None:"
        yield Edit(owner.file.path, FIRST, (test, *texts), owner.name, RESET)


def _first_values(held: OwningClass) -> Iterator[tuple[str, str]]:
    """The attributes of a class that its methods change, and the code of their first values: a
    new array, a number, or another attribute that has the same value and stays.
    """
    made = list(_made_in_constructor(held))
    others = [method for method in held.methods.values() if method.name not in (CONSTRUCTOR, RESET)]
    kept = {
        value.id: name
        for name, value in made
        if isinstance(value, ast.Name) and not any(_changes(method, name) for method in others)
    }
    for name, value in made:
        if LASTING.search(name) or not any(_changes(method, name) for method in others):
            continue
        if isinstance(value, ast.Name) and value.id in kept:
            yield name, f"self.{kept[value.id]}"
        elif _is_fresh(value, held.file) or _is_number(value):
            yield name, held.file.text_of(value)


def _is_number(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and isinstance(value.value, int | float)


def seed_made(_aim: SeedMade, source: Source) -> Iterator[Candidate]:
    """Edits with which generators, and objects of the user's classes that take a seed, get one of
    the instance's own generator, where methods make them without.
    """
    generator = source.framework.generator
    drawn = f"int({generator}.integers(2**31))"
    texts = [
        (owner.file, node, f"{owner.file.text_of(node.func)}({text})")
        for owner in source.chain
        for method in owner.methods.values()
        if method.name != CONSTRUCTOR
        for node in ast.walk(method)
        if isinstance(node, ast.Call) and not node.args and not node.keywords
        for text in _seed_of(node, drawn, source)
    ]
    if generator:
        yield tuple(edit for file, node, text in texts for edit in replaced(file, [(node, text)]))


def _seed_of(call: ast.Call, drawn: str, source: Source) -> Iterator[str]:
    """The argument that a call lacks."""
    if last_name(call.func) in GENERATORS:
        yield drawn
    made = source.owner(_class_called(call, source))
    constructor = made.methods.get(CONSTRUCTOR) if made is not None else None
    if constructor is not None and takes(constructor, "seed"):
        yield f"seed={drawn}"


def sort_sets(_aim: SortSets, source: Source) -> Iterator[Candidate]:
    """Edits with which a method sorts the sets that it goes through, or makes a list of."""
    edits: list[Edit] = []
    for owner in source.chain:
        names = set(_sets_of(owner, source))
        texts = [
            (node, f"sorted({owner.file.text_of(node)})")
            for method in owner.methods.values()
            for node in _ordered_in(method)
            if owner.file.text_of(node) in names
        ]
        lists = [
            (call, text)
            for method in owner.methods.values()
            for call in ast.walk(method)
            for node, text in texts
            if isinstance(call, ast.Call) and called(call) == "list" and call.args[:1] == [node]
        ]
        inside = [call.args[0] for call, _ in lists if isinstance(call, ast.Call)]
        rest = [(node, text) for node, text in texts if node not in inside]
        for node, text in (*lists, *rest):
            edits += replaced(owner.file, [(node, text)])
    yield tuple(edits)


def _ordered_in(method: Function) -> Iterator[ast.expr]:
    """The expressions whose order decides."""
    for node in ast.walk(method):
        if isinstance(node, ast.For | ast.comprehension):
            yield node.iter
        elif isinstance(node, ast.Call) and called(node) in ORDERED:
            yield from node.args[:1]


def _sets_of(owner: OwningClass, source: Source) -> Iterator[str]:
    """The names of sets: of the module, of the class, and of its instances."""
    for statement in owner.file.tree.body:
        for target, value in assignments(statement):
            if isinstance(target, ast.Name) and _is_set(value):
                yield target.id
    for each in source.chain:
        for node in ast.walk(each.node):
            for target, value in assignments(node):
                name = own_attribute(target) or (target in _of_body(each) and last_name(target))
                if name and all(_is_set(other) for _, other in source.assigned(name)):
                    yield from (f"self.{name}",) if _is_set(value) else ()


def _of_body(owner: OwningClass) -> list[ast.expr]:
    return [target for node in owner.node.body for target, _ in assignments(node)]


def _is_set(value: ast.expr) -> bool:
    return isinstance(value, ast.Set | ast.SetComp) or called(value) in SETS
