"""Edits that set an attribute of an environment below its wrappers, and that keep options."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from envdoctor.frameworks.threads import WITH_WRAPPER
from envdoctor.model.remedy import BEFORE, TOP, Edit
from envdoctor.model.training_aims import KeepOptions, SetBelow
from envdoctor.remedies.applying import start_of
from envdoctor.remedies.source import (
    Candidate,
    File,
    Source,
    called,
    innermost,
    last_name,
    own_attribute,
    replaced,
)

SET, BY_METHOD, SETTER = "set_attr", "env_method", '"set_wrapper_attr"'
MAKER, BY_CLASS, LIBRARY = WITH_WRAPPER
KEEPER = "KeepOptions"
#: The wrapper; its library has the name that the file has for it.
KEEPS = """\
class KeepOptions({library}.Wrapper):
    \"""A reset() without options has those of the one before.\"""

    options = None

    def reset(self, *, seed=None, options=None):
        self.options = options or self.options
        return self.env.reset(seed=seed, options=self.options)


"""


def set_below(aim: SetBelow, source: Source) -> Iterator[Candidate]:
    """`envs.env_method("set_wrapper_attr", "level", 3)` for `envs.set_attr("level", 3)`, and
    `env.unwrapped.level = 3` for `env.level = 3`. Nothing where a wrapper of the user's has an
    attribute of that name, which may be meant.
    """
    if any(_has(owner, aim.name) for file in source.files.values() for owner in _wrappers(file)):
        return
    if aim.place is None:
        yield _set_by_hand(aim.name, source)
    elif aim.place.file in source.files:
        yield _set_by_method(aim.name, source.files[aim.place.file], aim.place.line)


def _wrappers(file: File) -> Iterator[ast.ClassDef]:
    for owner in file.classes.values():
        if any(last_name(base).endswith("Wrapper") for base in owner.bases):
            yield owner


def _has(owner: ast.ClassDef, name: str) -> bool:
    of_class = {last_name(t) for n in owner.body if isinstance(n, ast.Assign) for t in n.targets}
    return name in of_class or any(own_attribute(node) == name for node in ast.walk(owner))


def _set_by_method(name: str, file: File, line: int) -> Candidate:
    calls = [
        node
        for node in ast.walk(innermost(file, line) or ast.Pass())
        if isinstance(node, ast.Call)
        and called(node) == SET
        and node.args
        and isinstance(node.args[0], ast.Constant)
        and node.args[0].value == name
    ]
    if len(calls) != 1 or not isinstance(calls[0].func, ast.Attribute):
        return ()
    (call,) = calls
    assert isinstance(call.func, ast.Attribute)
    first = call.args[0]
    return replaced(
        file,
        [
            (call.func, f"{file.text_of(call.func.value)}.{BY_METHOD}"),
            (first, f"{SETTER}, {file.text_of(first)}"),
        ],
    )


def _set_by_hand(name: str, source: Source) -> Candidate:
    targets = [
        (file, target)
        for file in source.files.values()
        for node in ast.walk(file.tree)
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Attribute) and target.attr == name
        if isinstance(target.value, ast.Name) and target.value.id != "self"
    ]
    if len(targets) != 1:
        return ()
    file, target = targets[0]
    assert isinstance(target, ast.Attribute)
    return replaced(file, [(target, f"{file.text_of(target.value)}.unwrapped.{name}")])


def keep_options(aim: KeepOptions, source: Source) -> Iterator[Candidate]:
    """`make(Arm, 4, wrapper_class=KeepOptions)` for `make(Arm, 4)`, with the class above it; where
    there is such an argument, `make(lambda: KeepOptions(Arm()), 4)`.
    """
    file = source.files.get(aim.place.file)
    statement = innermost(file, aim.place.line) if file else None
    calls = [node for node in ast.walk(statement or ast.Pass()) if called(node) == MAKER]
    call = calls[0] if len(calls) == 1 else None
    if file is None or not isinstance(call, ast.Call) or not call.args or KEEPER in file.text:
        return
    around = (each for each in file.tree.body if each.lineno <= call.lineno <= _end(each))
    last = max((*call.args, *(each.value for each in call.keywords)), key=lambda n: n.col_offset)
    put = replaced(file, [(last, f"{file.text_of(last)}, {BY_CLASS}={KEEPER}")])
    names = {each.arg for each in call.keywords}
    if BY_CLASS in names:
        made = call.args[0]
        known = () if "env_kwargs" in names else (*file.classes, *file.imported)
        is_class = isinstance(made, ast.Name) and made.id in known
        text = f"lambda: {KEEPER}({file.text_of(made)}())"
        put = replaced(file, [(made, text)]) if is_class else ()
    name = next((own for own, full in file.imported.items() if full == LIBRARY), "")
    imports = () if name else (Edit(file.path, TOP, (f"import {LIBRARY}",)),)
    lines = tuple(KEEPS.format(library=name or LIBRARY).split("\n")[:-1])
    above = Edit(file.path, BEFORE, lines, line=start_of(next(around)))
    yield (*imports, above, *put) if put else ()


def _end(node: ast.stmt) -> int:
    return node.end_lineno or node.lineno
