"""Edits with which a seed reaches what it is given for."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace

from envdoctor.model.environment_aims import AcceptZero, PassSeed, SeedWhenGiven
from envdoctor.model.remedy import LAST, MEMBER, Edit
from envdoctor.remedies.applying import statement_text
from envdoctor.remedies.source import (
    GENERATORS,
    Candidate,
    File,
    Function,
    Source,
    assignments,
    called,
    instead,
    last_name,
    own_attribute,
    replaced,
    takes,
    uses,
)

SEED, OPTIONS, RESET = "seed", "options", "reset"


def pass_seed(aim: PassSeed, source: Source) -> Iterator[Candidate]:
    """Edits with which the reset() or the seed() of a wrapper hands its seed on."""
    owner = source.owner(aim.owner)
    if aim.method == SEED:
        yield _seed_held(aim.holds or "env", source.of(aim.owner))
        return
    method = owner.methods.get(RESET) if owner is not None else None
    if owner is None or method is None:
        return
    arguments = _handed_on(method)
    calls = [
        (node, f"{owner.file.text_of(node.func)}({arguments})")
        for node in ast.walk(method)
        if isinstance(node, ast.Call) and _resets(node, aim.holds)
    ]
    if arguments and calls:
        yield replaced(owner.file, calls)
    elif takes(method, SEED):
        yield replaced(owner.file, _where_it_goes_on(method, owner.file))


def _where_it_goes_on(method: Function, file: File) -> Iterator[tuple[ast.expr, str]]:
    """Tests below which the seed is handed on, and not else: true where there is a seed, too."""
    for node in ast.walk(method):
        if not isinstance(node, ast.If) or not node.orelse:
            continue
        if any(map(_hands_on, node.body)) and not any(map(_hands_on, node.orelse)):
            text = file.text_of(node.test)
            is_alone = isinstance(node.test, ast.Name | ast.Attribute | ast.Call)
            test = text if is_alone else f"({text})"
            yield node.test, f"{test} or {SEED} is not None"


def _hands_on(statement: ast.stmt) -> bool:
    """Return True where a statement resets what is wrapped, with the seed."""
    return any(
        isinstance(node, ast.Call)
        and last_name(node.func) == RESET
        and any(keyword.arg == SEED and _is_seed(keyword.value) for keyword in node.keywords)
        for node in ast.walk(statement)
    )


def _handed_on(method: Function) -> str:
    """The arguments of a reset() as it hands them on; nothing where it takes no seed."""
    arguments = method.args
    names = {each.arg for each in (*arguments.args, *arguments.kwonlyargs)}
    passed = [f"{name}={name}" for name in (SEED, OPTIONS) if name in names]
    if arguments.kwarg is not None:
        passed.append(f"**{arguments.kwarg.arg}")
    return ", ".join(passed) if SEED in names or arguments.kwarg is not None else ""


def _resets(call: ast.Call, holds: str) -> bool:
    """Return True for `self.env.reset()`: the call of what is wrapped, without arguments."""
    function = call.func
    own = own_attribute(function.value) if isinstance(function, ast.Attribute) else ""
    is_wrapped = own == holds if holds else own != ""
    return last_name(function) == RESET and is_wrapped and not (call.args or call.keywords)


def _seed_held(attribute: str, source: Source) -> Candidate:
    """A seed() of the class that sets the attribute, which seeds what that holds; a seed() of its
    own does that, too.
    """
    call, own = f"self.{attribute}.{SEED}({SEED})", source.method(SEED)
    if own is not None:
        owner, method = own
        names = {ast.unparse(node) for node in ast.walk(method) if isinstance(node, ast.Attribute)}
        if f"self.{attribute}.{SEED}" in names or not takes(method, SEED):
            return ()
        return (Edit(owner.file.path, LAST, (call,), owner.name, SEED),)
    owners = [owner for owner, _ in source.assigned(attribute)]
    lines = (f"def {SEED}(self, {SEED}=None):", f"    return {call}")
    return tuple(Edit(each.file.path, MEMBER, lines, each.name) for each in owners[-1:])


def seed_inherited(source: Source) -> Candidate:
    """Edits of a method that gives its seed to the seed() of its base, as older interfaces want it,
    and calls the base's reset() without: reset() gets it.
    """
    edits: list[Edit] = []
    for owner in source.chain:
        for method in owner.methods.values() if source.method(SEED) is None else ():
            calls = [node for node in ast.walk(method) if _resets_base(node)]
            seeding = [
                statement
                for statement in method.body
                if any(_seeds_base(node) for node in ast.walk(statement))
            ]
            if not seeding or len(calls) != 1 or not takes(method, SEED):
                continue
            (call,) = calls
            assert isinstance(call, ast.Call)
            others = ", ".join(owner.file.text_of(each) for each in call.keywords)
            text = ", ".join(filter(None, (f"{SEED}={SEED}", others)))
            edits += replaced(owner.file, [(call, f"super().{RESET}({text})")])
            edits += [instead(owner.file, statement, ()) for statement in seeding]
    return tuple(edits)


def _seeds_base(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and called(node.value) == SEED and _is_base(node.value)


def _resets_base(node: ast.AST) -> bool:
    return (
        called(node) == RESET
        and _is_base(node)
        and not (isinstance(node, ast.Call) and node.args)
        and not any(
            keyword.arg == SEED for keyword in (node.keywords if isinstance(node, ast.Call) else ())
        )
    )


def _is_base(node: ast.AST) -> bool:
    """Return True for a call of a method of `super()`."""
    function = node.func if isinstance(node, ast.Call) else None
    return isinstance(function, ast.Attribute) and called(function.value) == "super"


def seed_when_given(aim: SeedWhenGiven, source: Source) -> Iterator[Candidate]:
    """Edits with which reset() hands on the seed that it is given, and no other; or makes its
    generators anew only where it has one.
    """
    source = replace(source, class_name=aim.owner) if aim.owner else source
    reset = source.method(RESET)
    if reset is None or not takes(reset[1], SEED):
        return
    owner, method = reset
    others = [
        keyword.value
        for node in ast.walk(method)
        if isinstance(node, ast.Call) and last_name(node.func) == RESET
        for keyword in node.keywords
        if keyword.arg == SEED and not _is_seed(keyword.value)
    ]
    if others:
        yield replaced(owner.file, [(value, SEED) for value in others])
    made = [
        (statement, own_attribute(target))
        for statement in _always_run(method.body)
        for target, value in assignments(statement)
        if called(value) in GENERATORS and own_attribute(target)
    ]
    if made:
        yield tuple(_when_given(statement, name, owner.file, source) for statement, name in made)


def _always_run(block: list[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements of a block, and of branches that no seed decides."""
    for statement in block:
        yield statement
        if isinstance(statement, ast.If) and not uses(statement.test, SEED):
            yield from _always_run([*statement.body, *statement.orelse])


def _when_given(statement: ast.stmt, name: str, file: File, source: Source) -> Edit:
    """The edit that makes a generator only where a seed is given, or where there is none yet."""
    first = "" if source.has_at_once(name) else f' or not hasattr(self, "{name}")'
    lines = (f"    {line}" for line in statement_text(file, statement))
    return instead(file, statement, (f"if {SEED} is not None{first}:", *lines))


def accept_zero(_aim: AcceptZero, source: Source) -> Iterator[Candidate]:
    """Edits with which the seed 0 is a seed, in all methods of the environment that take one."""
    edits = [
        edit
        for owner in source.chain
        for method in owner.methods.values()
        for edit in replaced(owner.file, _tests(owner.file, method))
    ]
    yield tuple(edits) or tuple(_tests_of_others(source))


def _tests_of_others(source: Source) -> Iterator[Edit]:
    """Edits of methods that return their seed, and are called for tests alone."""
    for owner in source.chain:
        for method in owner.methods.values():
            (first, *rest) = method.body
            value = first.value if isinstance(first, ast.Return) else None
            if value is None or rest or not _is_seed(value) or not takes(method, SEED):
                continue
            uses = [node for each in source.chain for node in _uses(each.node, method.name)]
            tests = [
                node.test
                for each in source.chain
                for node in ast.walk(each.node)
                if isinstance(node, ast.If | ast.IfExp)
            ]
            if uses and all(any(use is test for test in tests) for use in uses):
                yield from replaced(owner.file, [(value, f"{SEED} is not None")])


def _uses(node: ast.AST, method: str) -> Iterator[ast.Call]:
    for each in ast.walk(node):
        if isinstance(each, ast.Call) and own_attribute(each.func) == method:
            yield each


def _tests(file: File, method: Function) -> Iterator[tuple[ast.expr, str]]:
    """Tests of the seed as a truth value, and what they are to be."""
    for node in ast.walk(method):
        if isinstance(node, ast.If | ast.IfExp) and _is_seed(node.test):
            yield node.test, f"{SEED} is not None"
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            if _is_seed(node.operand):
                yield node, f"{SEED} is None"
        elif isinstance(node, ast.BoolOp) and _is_seed(node.values[0]):
            other = " or ".join(map(file.text_of, node.values[1:]))
            if isinstance(node.op, ast.Or):
                chosen = f"{SEED} if {SEED} is not None else {other}"
                yield node, chosen if _is_argument(file, node) else f"({chosen})"


def _is_argument(file: File, node: ast.expr) -> bool:
    """Return True where an expression stands alone between parentheses."""
    line = file.lines[node.lineno - 1].encode()
    return line[: node.col_offset].endswith(b"(") and line[node.end_col_offset :].startswith(b")")


def _is_seed(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id == SEED
