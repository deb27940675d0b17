"""Edits that let an environment draw from a seeded generator of its own: one for every line that
draws from a generator that the whole process shares.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import field
from itertools import product
from pathlib import PurePath

from envdoctor.discovery.syntax import argument
from envdoctor.model.environment_aims import OwnRandom, PassSeed, SeedAll
from envdoctor.model.fast_dataclass import dataclass
from envdoctor.model.remedy import FIRST, INSTEAD, TOP, Edit
from envdoctor.model.training_aims import DrawOwn
from envdoctor.remedies.seeding import pass_seed, seed_inherited
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
    last_name,
    names_in,
    own_attribute,
    replaced,
    takes,
)

SHARED = ("random", "numpy.random")
OF_THREAD = "rng"  # the variable with the generator of a thread
#: The functions that make a generator, and whose functions that has.
GENERATOR = "numpy.random.Generator"
MADE_BY = {
    "numpy.random.default_rng": GENERATOR,
    "numpy.random.RandomState": "numpy.random",
    "random.Random": "random",
}
SAME = (  # in numpy.random and in a Generator
    "beta",
    "binomial",
    "chisquare",
    "choice",
    "dirichlet",
    "exponential",
    "gamma",
    "geometric",
    "laplace",
    "lognormal",
    "multinomial",
    "multivariate_normal",
    "normal",
    "permutation",
    "poisson",
    "shuffle",
    "standard_normal",
    "triangular",
    "uniform",
    "weibull",
)
RENAMED = {"random": "random", "random_sample": "random", "ranf": "random", "sample": "random"}
OF_RANDOM = {
    "random": "random",
    "uniform": "uniform",
    "gauss": "normal",
    "normalvariate": "normal",
    "shuffle": "shuffle",
}


class _UnknownDrawError(Exception):
    """A function that a Generator does not have."""


def _rewritten(generator: str, name: str, call: ast.Call) -> str:
    """A draw from numpy.random or random as one from a Generator. Raises _UnknownDrawError."""
    positional = [ast.unparse(argument) for argument in call.args]
    named = [f"{keyword.arg}={ast.unparse(keyword.value)}" for keyword in call.keywords]
    listed = ", ".join((*positional, *named))
    module, _, short = name.rpartition(".")
    if module == GENERATOR:
        return f"{generator}.{short}({listed})"
    if module == "numpy.random":
        if short in SAME or short in RENAMED:
            return f"{generator}.{RENAMED.get(short, short)}({listed})"
        if short in ("rand", "randn"):
            kind = {"rand": "random", "randn": "standard_normal"}[short]
            return f"{generator}.{kind}({f'({listed},)' if positional else ''})"
        if short == "randint":
            drawn = f"{generator}.integers({listed})"
            return f"int({drawn})" if len(positional) <= 2 and not named else drawn
    elif short in OF_RANDOM and not named:
        return f"{generator}.{OF_RANDOM[short]}({listed})"
    elif short == "randint":
        return f"int({generator}.integers({listed}, endpoint=True))"
    elif short == "randrange" and len(positional) <= 2:
        return f"int({generator}.integers({listed}))"
    elif short == "choice" and len(positional) == 1:
        return f"{positional[0]}[int({generator}.integers(len({positional[0]})))]"
    raise _UnknownDrawError(name)


@dataclass
class _Rewriter(ast.NodeTransformer):
    """Rewrites the draws in an expression."""

    file: File
    shared: SharedGenerator
    generator: str

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if called(node) == "int" and called(node.args[0] if node.args else None) == "int":
            return node.args[0]
        if not self.shared.draws(self.file, node):
            return node
        short = last_name(node.func)
        text = _rewritten(self.generator, f"{self.shared.kind}.{short}", node)
        return ast.parse(text, mode="eval").body


@dataclass(frozen=True)
class SharedGenerator:
    """A generator that instances share: `name` is that of a module with functions that draw, or of
    a variable of a user's module; `kind` is whose functions it has.
    """

    name: str
    kind: str

    @classmethod
    def of(cls, name: str, source: Source) -> SharedGenerator:
        """The generator of this name. Raises _UnknownDrawError where it is not known."""
        if name in SHARED:
            return cls(name, name)
        module, _, variable = name.rpartition(".")
        for file in source.files.values():
            for node in file.tree.body:
                for target, value in assignments(node):
                    if PurePath(file.path).stem == module.rpartition(".")[2] and (
                        isinstance(target, ast.Name) and target.id == variable
                    ):
                        made = file.full_name(value.func) if isinstance(value, ast.Call) else ""
                        if made in MADE_BY:
                            return cls(name, MADE_BY[made])
        raise _UnknownDrawError(name)

    def draws(self, file: File, call: ast.Call) -> bool:
        """Return True for a call that draws from it, or seeds it."""
        module, _, short = file.full_name(call.func).rpartition(".")
        return self._is_named(module, file) and short not in (*GENERATORS, "Generator")

    def is_seeded_by(self, file: File, node: ast.stmt) -> bool:
        """Return True for a statement that seeds it."""
        return (
            isinstance(node, ast.Expr)
            and isinstance(node.value, ast.Call)
            and last_name(node.value.func) == "seed"
            and self._is_named(file.full_name(node.value.func).rpartition(".")[0], file)
        )

    def _is_named(self, text: str, file: File) -> bool:
        module, _, variable = self.name.rpartition(".")
        is_here = self.name not in SHARED and PurePath(file.path).stem == module.rpartition(".")[2]
        return text == (variable if is_here else self.name)


@dataclass
class _Draft:
    """The edits of one file, and the expressions that become others."""

    file: File
    parts: dict[ast.expr, str] = field(default_factory=dict)
    edits: list[Edit] = field(default_factory=list)

    def replace(self, node: ast.expr, text: str) -> None:
        """Put a text in the place of an expression, which stands on one line."""
        if node.end_lineno != node.lineno:
            raise _UnknownDrawError("a call on several lines")
        if any(inner in self.parts for inner in ast.walk(node)):
            raise _UnknownDrawError("a call in another one")
        self.parts[node] = text

    def done(self) -> list[Edit]:
        """All edits."""
        return [*self.edits, *replaced(self.file, self.parts.items())]


def own_random(aim: OwnRandom, source: Source) -> Iterator[Candidate]:
    """Edits with which the environment draws from a seeded generator of its own."""
    generator = source.framework.generator
    try:
        if aim.source in SHARED:
            yield from _in_place_of_all(aim.source, source, generator)
        elif aim.source == "self._np_random" and generator:
            yield tuple(_seeding(source))
            yield seed_inherited(source)
        elif aim.source.startswith("self."):
            yield from _reseeded(aim.source.removeprefix("self."), source)
            yield from _calls_seed(source)
        else:
            yield tuple(_in_place_of((aim.source,), source, generator))
    except _UnknownDrawError:
        return


def draw_own(aim: DrawOwn, source: Source) -> Iterator[Candidate]:
    """Edits with which a class of a training draws from a generator of its own, in place of NumPy's
    global one.
    """
    yield from own_random(OwnRandom(SHARED[1]), source.of(aim.owner, aim.place.file))


def seed_all(aim: SeedAll, source: Source) -> Iterator[Candidate]:
    """Edits with which a seed reaches several generators of the environment's own, or none."""
    try:
        made = [[*_reseeded(name.removeprefix("self."), source)] for name in aim.sources]
    except _UnknownDrawError:
        return
    if all(made):
        yield tuple(edit for candidates in made for edit in candidates[0])
    yield from _calls_seed(source)


def _in_place_of_all(name: str, source: Source, generator: str) -> Iterator[Candidate]:
    """Edits for each generator of the process that the environment draws from, and of wrappers that
    give no seed to it; and then for the one of this name.
    """
    every = first = _in_place_of((name,), source, generator)
    with suppress(_UnknownDrawError):  # one line may draw from both
        every = _in_place_of(SHARED, source, generator)
    wrappers = [edit for owner in _without_seed(source) for edit in _passing(owner, source)]
    if wrappers:
        yield tuple(dict.fromkeys((*every, *wrappers)))
    yield tuple(dict.fromkeys(every))
    yield tuple(first)


def _without_seed(source: Source) -> Iterator[OwningClass]:
    """The wrappers whose reset() takes a seed, and resets what they wrap without one."""
    for file in source.files.values():
        for node in file.classes.values():
            owner = OwningClass(file, node)
            reset = owner.method("reset")
            if reset is not None and takes(reset, "seed") and source.is_environment(owner):
                calls = (each for each in ast.walk(reset) if isinstance(each, ast.Call))
                if any(_is_bare(each) for each in calls):
                    yield owner


def _is_bare(call: ast.Call) -> bool:
    """Return True for `self.env.reset()`."""
    return ast.unparse(call) == "self.env.reset()"


def _passing(owner: OwningClass, source: Source) -> Candidate:
    return next(pass_seed(PassSeed(owner.name), source), ())


def _in_place_of(names: Iterable[str], source: Source, generator: str) -> list[Edit]:
    generators = [SharedGenerator.of(name, source) for name in names]
    own = generator or f"self.{_own_attribute(source) or '_rng'}"
    edits: list[Edit] = []
    seeded, threads, drawing = False, set(_run_by_threads(source)), list[OwningClass]()
    for owner in source.chain:
        draft = _Draft(owner.file)
        for method, shared in product(owner.methods.values(), generators):
            if method.name not in threads:
                seeded |= _rewrite(draft, method, shared, own, generator)
            elif any(True for _ in _outermost(owner.file, method, shared)):
                _rewrite(draft, method, shared, OF_THREAD, generator)
                edits += _in_thread(owner, method)
        if done := draft.done():
            edits += done
            drawing.append(owner)
    if not edits:
        raise _UnknownDrawError("nothing draws from it in the class")
    if generator:
        return edits + _seeding(source)
    if not _own_attribute(source):
        edits += _new_generator(source, own, seeded, drawing)
    return edits


def _run_by_threads(source: Source) -> Iterator[str]:
    """The methods that threads run: when these draw is not a matter of the seed."""
    for owner in source.chain:
        for node in ast.walk(owner.node):
            if isinstance(node, ast.Call) and last_name(node.func) == "Thread":
                yield own_attribute(argument(node, "target", 1))


def _in_thread(owner: OwningClass, method: Function) -> Iterator[Edit]:
    """The edits that make a generator for the thread that runs a method."""
    if OF_THREAD in names_in(method):
        raise _UnknownDrawError("its name is used")
    numpy = _numpy(owner.file)
    made = f"{OF_THREAD} = {numpy}.random.default_rng()  # of this thread alone"
    yield _line(owner, method.name, made)
    if numpy not in owner.file.imported:
        yield Edit(owner.file.path, TOP, ("import numpy as np",))


def _rewrite(
    draft: _Draft, method: Function, shared: SharedGenerator, own: str, generator: str
) -> bool:
    """Change the draws of a method; True where a line that seeds became one that seeds our own."""
    seeded = False
    for statement in ast.walk(method):
        for block in _blocks(statement):
            for node in block:
                if shared.is_seeded_by(draft.file, node):
                    assert isinstance(node, ast.Expr)
                    assert isinstance(node.value, ast.Call)
                    text = "pass" if _empties(draft.file, node, block) else ""
                    if not generator:
                        numpy = _numpy(draft.file)
                        text = f"{own} = {numpy}.random.default_rng({_arguments(node.value)})"
                        seeded = True
                    lines = (text,) if text else ()
                    draft.edits.append(
                        Edit(
                            draft.file.path,
                            INSTEAD,
                            lines,
                            line=node.lineno,
                            end=node.end_lineno or node.lineno,
                        )
                    )
    for value in _handed_out(draft.file, method, shared.name):
        draft.replace(value, own)
    for call in _outermost(draft.file, method, shared):
        changed = _Rewriter(draft.file, shared, own).visit(copy.deepcopy(call))
        draft.replace(call, ast.unparse(changed))
    return seeded


def _handed_out(file: File, method: Function, name: str) -> Iterator[ast.expr]:
    """The generator of NumPy's that a method returns, where its callers draw by functions that all
    generators have.
    """
    values = [
        node.value
        for node in ast.walk(method)
        if isinstance(node, ast.Return) and file.full_name(node.value) == name == "numpy.random"
    ]
    drawn = [
        node.attr
        for node in ast.walk(file.tree)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Call)
        if own_attribute(node.value.func) == method.name
    ]
    calls = [each for each in ast.walk(file.tree) if called(each) == method.name]
    if drawn and len(drawn) == len(calls) and set(drawn) <= {*SAME, "random"}:
        yield from filter(None, values)


def _empties(file: File, node: ast.stmt, block: list[ast.stmt]) -> bool:
    """Return True if a block would be empty without its lines that seed, of which this is the last:
    those of another generator may be removed, too.
    """
    return node is block[-1] and all(
        any(SharedGenerator(name, name).is_seeded_by(file, statement) for name in SHARED)
        for statement in block
    )


def _blocks(node: ast.AST) -> Iterator[list[ast.stmt]]:
    for name in ("body", "orelse", "finalbody"):
        block = getattr(node, name, None)
        if isinstance(block, list):
            yield block


def _arguments(call: ast.Call) -> str:
    return ", ".join(map(ast.unparse, call.args))


def _outermost(file: File, node: ast.AST, shared: SharedGenerator) -> Iterator[ast.Call]:
    """Draws that are in no other one."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.stmt) and shared.is_seeded_by(file, child):
            continue
        if isinstance(child, ast.Call) and shared.draws(file, _within_int(child)):
            yield child
        else:
            yield from _outermost(file, child, shared)


def _within_int(call: ast.Call) -> ast.Call:
    """The call whose result becomes a whole number; else the call itself."""
    inner = call.args[0] if called(call) == "int" and call.args else None
    return inner if isinstance(inner, ast.Call) else call


def _seeding(source: Source) -> list[Edit]:
    """The line that passes the seed on, where reset() has none."""
    reset = source.method("reset")
    if reset is None:
        return []
    owner, method = reset
    passes_on = any(
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "reset"
        and last_name(getattr(node.func.value, "func", None)) == "super"
        for node in ast.walk(method)
    )
    if passes_on:
        return []
    if not takes(method, "seed"):
        raise _UnknownDrawError("reset() takes no seed")
    return [Edit(owner.file.path, FIRST, ("super().reset(seed=seed)",), owner.name, "reset")]


def _own_attribute(source: Source) -> str:
    """The attribute in which the class has a generator of NumPy's already."""
    for owner in source.chain:
        for node in ast.walk(owner.node):
            if isinstance(node, ast.Assign) and called(node.value) == "default_rng":
                return own_attribute(node.targets[0])
    return ""


def _new_generator(
    source: Source, own: str, seeded: bool, drawing: Sequence[OwningClass]
) -> list[Edit]:
    """Return the edits that make and seed the new generator."""
    owner = _constructed(source, drawing)
    numpy = _numpy(owner.file)
    edits = [_line(owner, "__init__", f"{own} = {numpy}.random.default_rng()")]
    if numpy not in owner.file.imported:
        edits.append(Edit(owner.file.path, TOP, ("import numpy as np",)))
    if not seeded:
        edits.append(_seeded_line(source, f"{own} = {numpy}.random.default_rng"))
    return edits


def _constructed(source: Source, drawing: Sequence[OwningClass]) -> OwningClass:
    """The class whose constructor makes the generator: the base that draws, whose other heirs draw
    as well, where that of each heir calls it before it draws; else the first one that has a
    constructor. Raises _UnknownDrawError where none has.
    """
    own = [each for each in source.chain if CONSTRUCTOR in each.methods]
    bases = source.chain[source.chain.index(drawing[-1]) :] if drawing else ()
    base = next((each for each in own if each in bases), None)
    heirs = own[: own.index(base)] if base else ()
    if base and all(_begins_inherited(each.methods[CONSTRUCTOR]) for each in heirs):
        return base
    if not own:
        raise _UnknownDrawError("no constructor to make it in")
    return own[0]


def _begins_inherited(method: Function) -> bool:
    """Return True for a constructor whose first statement calls that of its base."""
    body = method.body[1:] if ast.get_docstring(method) else method.body
    first = ast.Module(body[:1], [])
    return any(
        isinstance(node, ast.Call)
        and last_name(node.func) == CONSTRUCTOR
        and isinstance(node.func, ast.Attribute)
        and called(node.func.value) == "super"
        for node in ast.walk(first)
    )


def _seeded_line(source: Source, made: str) -> Edit:
    """Return the edit of the line where a seed arrives: in seed(), or in reset()."""
    setter = source.method("seed") or source.method("reset")
    names = (
        [argument.arg for argument in (*setter[1].args.args, *setter[1].args.kwonlyargs)][1:]
        if setter
        else []
    )
    if setter is None or not names or (setter[1].name == "reset" and "seed" not in names):
        raise _UnknownDrawError("no method takes a seed")
    owner, method = setter
    if method.name == "seed":
        return _line(owner, "seed", f"{made}({names[0]})")
    return Edit(
        owner.file.path, FIRST, ("if seed is not None:", f"    {made}(seed)"), owner.name, "reset"
    )


def _line(owner: OwningClass, method: str, text: str) -> Edit:
    return Edit(owner.file.path, FIRST, (text,), owner.name, method)


def _numpy(file: File) -> str:
    return next((name for name, full_name in file.imported.items() if full_name == "numpy"), "np")


def _reseeded(attribute: str, source: Source) -> Iterator[Candidate]:
    """A generator of its own is made anew where a seed is given: not in a seed() that does so."""
    setter = source.method("seed")
    made_by = ast.walk(setter[1]) if setter else ()
    if any(
        own_attribute(target) == attribute for node in made_by for target, _ in assignments(node)
    ):
        return
    for _, value in source.assigned(attribute):
        if called(value) in GENERATORS:
            assert isinstance(value, ast.Call)
            made = f"self.{attribute} = {ast.unparse(value.func)}"
            yield (_seeded_line(source, made),)
            return


def _calls_seed(source: Source) -> Iterator[Candidate]:
    """The seed of reset() goes to the class's own seed(), which nothing calls there."""
    seed, reset = source.method("seed"), source.method("reset")
    if seed is None or reset is None:
        return
    owner, method = reset
    calls = any(called(node) == "seed" for node in ast.walk(method))
    if takes(method, "seed") and not calls and len(seed[1].args.args) > 1:
        lines = ("if seed is not None:", "    self.seed(seed)")
        yield (Edit(owner.file.path, FIRST, lines, owner.name, "reset"),)
