"""Edits with which reset() takes the keyword arguments `seed` and `options`, and what an episode
draws obeys the seed.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import replace

from envdoctor.model.environment_aims import OwnRandom, SeedAll
from envdoctor.model.failure_aims import TakeArguments
from envdoctor.model.remedy import FIRST, Edit
from envdoctor.remedies.drawing import SHARED, own_random, seed_all
from envdoctor.remedies.seeding import OPTIONS, RESET, SEED
from envdoctor.remedies.source import (
    GENERATORS,
    Candidate,
    File,
    Function,
    OwningClass,
    Source,
    assignments,
    called,
    own_attribute,
    replaced,
    takes,
)

INHERITED, WRAPPED = "super().reset()", "self.env.reset()"
BOTH = f"{SEED}={SEED}, {OPTIONS}={OPTIONS}"


def take_arguments(aim: TakeArguments, source: Source) -> Iterator[Candidate]:
    """Edits of each reset() of the class and of its bases, with those of what they draw from: a
    seed that is taken, and has no effect, is worse than one that is refused.
    """
    source = source.of(aim.owner) if aim.owner else source
    owners = [owner for owner in source.chain if RESET in owner.methods]
    signatures = [
        edit for at, owner in enumerate(owners) for edit in _edits(owner, owners[at + 1 :])
    ]
    if not signatures:
        return
    if len(owners) > 1 and takes(owners[1].methods[RESET], SEED) and len(signatures) == 1:
        yield (*signatures, _seeding(owners[0]))  # what it inherits seeds, and was not called
    source = _with_arguments(source)
    kept = [
        f"self.{name}"
        for owner in source.chain
        for node in ast.walk(owner.node)
        for target, value in assignments(node)
        if called(value) in GENERATORS and (name := own_attribute(target))
    ]
    for draws in (
        *(each for name in SHARED for each in own_random(OwnRandom(name), source)),
        *(seed_all(SeedAll(tuple(dict.fromkeys(kept))), source) if kept else ()),
    ):
        yield tuple(dict.fromkeys((*signatures, *draws)))
    yield tuple(dict.fromkeys(signatures))


def _edits(owner: OwningClass, below: Sequence[OwningClass]) -> Iterator[Edit]:
    """The edits of a reset() that lacks one of both: it hands on what it is given, to the one that
    it inherits and to what is wrapped.
    """
    file, method = owner.file, owner.methods[RESET]
    lacking = _lacking(method)
    if not lacking:
        return
    texts = [_taking(file, method, lacking)]
    calls = [node for node in ast.walk(method) if isinstance(node, ast.Call)]
    alone = [node.value for node in ast.walk(method) if isinstance(node, ast.Expr)]
    for call in calls:
        text = ast.unparse(call)
        if text in (INHERITED, WRAPPED):
            is_first = text == INHERITED and call in alone and not below
            texts.append((call, f"{text[:-1]}{f'{SEED}={SEED}' if is_first else BOTH})"))
    yield from replaced(file, texts)
    if len(texts) == 1 and SEED in lacking and not below:
        yield _seeding(owner)


def _seeding(owner: OwningClass) -> Edit:
    line = f"super().{RESET}({SEED}={SEED})"
    return Edit(owner.file.path, FIRST, (line,), owner.name, RESET)


def _lacking(method: Function) -> list[str]:
    """The keyword arguments that a reset() refuses."""
    is_open = method.args.kwarg is not None
    return [name for name in (SEED, OPTIONS) if not is_open and not takes(method, name)]


def _taking(file: File, method: Function, lacking: Sequence[str]) -> tuple[ast.expr | ast.arg, str]:
    """The last argument of a method, and its text with the new ones behind it: by keyword alone, as
    Gymnasium has them, but where the class has the other one by its place.
    """
    arguments = method.args
    plain = [*arguments.posonlyargs, *arguments.args]
    defaults = [*arguments.defaults, *filter(None, arguments.kw_defaults)]
    every: list[ast.expr | ast.arg] = [*plain, *defaults, *arguments.kwonlyargs]
    every += filter(None, [arguments.vararg])
    last = max(every, key=lambda each: (each.end_lineno or 0, each.end_col_offset or 0))
    by_place = {each.arg for each in plain} & {SEED, OPTIONS}
    is_bare = not (arguments.kwonlyargs or arguments.vararg or by_place)
    added = ("*",) * is_bare + tuple(f"{name}=None" for name in lacking)
    own = last.annotation if isinstance(last, ast.arg) else None
    return own or last, ", ".join((file.text_of(own or last), *added))


def _with_arguments(source: Source) -> Source:
    """The source with both arguments in the trees of its files, whose lines stay."""
    files = {path: File(path, file.text, file.data) for path, file in source.files.items()}
    source = replace(source, files=files)
    for owner in source.chain:
        method = owner.methods.get(RESET)
        for name in _lacking(method) if method else ():
            assert method is not None
            method.args.kwonlyargs.append(ast.arg(name))
            method.args.kw_defaults.append(ast.Constant(None))
    return source
