"""The ways from an environment to the instances of the user's own classes that it holds."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from envdoctor.model.fast_dataclass import dataclass
from envdoctor.remedies.source import OwningClass, Source, assignments, last_name, own_attribute
from envdoctor.remedies.telling import ending_method

MAX_DEPTH = 4


@dataclass(frozen=True)
class Held:
    """An instance of a class of the user's own, or a list of them: `client.pool`, from the
    environment on.
    """

    path: str
    source: Source
    several: bool = False

    @property
    def ending(self) -> str:
        """The method that ends it."""
        return next(filter(None, map(ending_method, self.source.chain)), "")


def held_by(source: Source, depth: int = MAX_DEPTH) -> Iterator[Held]:
    """Yield what an environment holds, that of the shortest ways first."""
    waiting = [Held("", source)]
    known = {source.class_name}
    for _ in range(depth):
        below = [inner for each in waiting if not each.several for inner in _held_in(each)]
        waiting = [each for each in below if each.source.class_name not in known]
        known |= {each.source.class_name for each in waiting}
        yield from waiting


def held_classes(source: Source) -> Iterator[Source]:
    """The classes of what an environment holds."""
    for each in held_by(source):
        yield each.source


def _held_in(holder: Held) -> Iterator[Held]:
    for owner in holder.source.chain:
        for node in ast.walk(owner.node):
            for target, value in assignments(node):
                name = own_attribute(target)
                made, several = _element(value)
                kind = made_class(holder.source, made) if name else None
                if kind is not None and not holder.source.is_environment(kind):
                    path = f"{holder.path}.{name}".lstrip(".")
                    yield Held(path, holder.source.of(kind.name, kind.file.path), several)


def _element(value: ast.expr) -> tuple[ast.expr, bool]:
    """One element of a list that is written down, and whether it is one."""
    if isinstance(value, ast.ListComp):
        return value.elt, True
    if isinstance(value, ast.List) and value.elts:
        return value.elts[0], True
    return value, False


def made_class(source: Source, value: ast.expr | None) -> OwningClass | None:
    """The class of the user's own of which a call makes an instance: `Viewer()`, or
    `self.viewer_class()` where the body of the class names it.
    """
    if not isinstance(value, ast.Call):
        return None
    name = own_attribute(value.func)
    if not name:
        return source.class_made_by(value)
    for owner in source.chain:
        for node in owner.node.body:
            for target, named in assignments(node):
                if isinstance(target, ast.Name) and target.id == name:
                    return source.owner(last_name(named))
    return None


def class_that_sets(source: Source, attribute: str) -> OwningClass:
    """The class whose close() ends what an attribute holds: the base that sets it, whose other
    heirs hold it, too; else the first one.
    """
    setting = [owner for owner, _ in source.assigned(attribute)]
    return setting[-1] if setting else source.chain[0]


def in_close(source: Source, held: Held, forget: bool = False) -> tuple[str, ...]:
    """The lines of close() that end it, where it is there, and forget it."""
    first = held.path.partition(".")[0]
    call = f".{held.ending}()"
    if held.several:
        is_there = source.has_at_once(first)
        every = f"self.{held.path}" if is_there else f'getattr(self, "{first}", ())'
        loop = (f"for each in {every}:", f"    each{call}")
        return (*loop, f"self.{first} = []") if forget and first == held.path else loop
    lines = (f"if {source.held(first)} is not None:", f"    self.{held.path}{call}")
    return (*lines, f"    self.{first} = None") if forget and first == held.path else lines


def is_called(source: Source, held: Held) -> bool:
    """Return True if a method of the environment calls the one that ends it: that of the attribute
    itself, or of the variable of a loop over it.
    """
    texts = {f"self.{held.path}.{held.ending}"}
    calls: set[str] = set()
    for owner in source.chain:
        for node in ast.walk(owner.node):
            if isinstance(node, ast.Call):
                calls.add(ast.unparse(node.func))
            if isinstance(node, ast.For) and ast.unparse(node.iter) == f"self.{held.path}":
                texts.add(f"{ast.unparse(node.target)}.{held.ending}")
    return not calls.isdisjoint(texts)


def on_the_way(source: Source, owner: OwningClass) -> list[Held]:
    """The objects on the way to an instance of a class, the outermost first; those that no method
    of the environment ends before the others.
    """
    every = list(held_by(source))
    ends = [each for each in every if owner.name in {kind.name for kind in each.source.chain}]
    way = [
        each
        for each in every
        if any(f"{end.path}.".startswith(f"{each.path}.") for end in ends[:1])
    ]
    return sorted(way, key=lambda each: is_called(source, each))
