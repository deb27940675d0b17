"""Edits that let close() release what a line acquired: sets of edits, the best first."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from itertools import product

from envdoctor.model.environment_aims import EndHeld, Release, ReleaseOld
from envdoctor.model.errors import Frame
from envdoctor.model.remedy import BEFORE, FIRST, INSTEAD, LAST, MEMBER, Edit
from envdoctor.remedies.acquisition import (
    AcquiredResource,
    Lines,
    acquired_by_function,
    fills_gap,
    parts,
    read_acquisition,
)
from envdoctor.remedies.applying import statement_text
from envdoctor.remedies.calls import POPEN, calls, waiting
from envdoctor.remedies.closing import single_attribute
from envdoctor.remedies.containers import containers_of, ended_at_once
from envdoctor.remedies.finishing import finish
from envdoctor.remedies.holding import class_that_sets, held_by, in_close, is_called, on_the_way
from envdoctor.remedies.inheriting import call_hidden_close
from envdoctor.remedies.needing import needed
from envdoctor.remedies.processes import end_group
from envdoctor.remedies.readers import stop_reading
from envdoctor.remedies.renewing import as_close_does
from envdoctor.remedies.source import (
    CONSTRUCTOR,
    Candidate,
    Function,
    OwningClass,
    Source,
    assignments,
    block_of,
    called,
    last_name,
    own_attribute,
    own_attributes,
)
from envdoctor.remedies.telling import ending_method

CONTAINER, CLOSE = "container", "close"
PROCESSES = ("Popen", "Process")
THREADS = ("Thread", "Timer")  # which have no close()
ONCE = re.compile(r"os\.(close|unlink|kill)")
MAYBE_GONE = "with contextlib.suppress(FileNotFoundError):"  # a second close()
MAX_PLACES = 3
MAX_CANDIDATES = 4


def release(aim: Release, source: Source) -> Iterator[Candidate]:
    """Edits that give back what was taken at the places of an aim."""
    yield from call_hidden_close(source, aim.places)
    each = [list(_at(source, aim.what, frame)) for frame in aim.places[:MAX_PLACES]]
    if not each or not all(each) or len(aim.places) > MAX_PLACES:
        yield from as_close_does(source)
        return
    longest = max(map(len, each))
    held = next(_ends_held(source), ())
    for number in range(min(longest, MAX_CANDIDATES)):
        chosen = [options[min(number, len(options) - 1)] for options in each]
        edits = tuple(dict.fromkeys(edit for edits in chosen for edit in edits))
        yield edits
        # No line may be known that took a part of it.
        if number == 0 and held and _ended(held).isdisjoint(_ended(edits)):
            yield (*edits, *held)


def release_old(aim: ReleaseOld, source: Source) -> Iterator[Candidate]:
    """Edits that release what an attribute holds before reset() puts another one there."""
    for each in source.chain:
        for method in each.methods.values():
            for node in ast.walk(method):
                targets = [target for target, _ in assignments(node)]
                if method.name == CONSTRUCTOR or aim.attribute not in map(own_attribute, targets):
                    continue
                assert isinstance(node, ast.stmt)
                for lines in _endings(aim, source, each, method, node):
                    block = guarded(source, (aim.attribute,), lines, forget=False)
                    yield (_before(each, method, node, block),)
    if not aim.releases:
        yield from _release_acquired(source, aim.attribute)
        yield from _release_held(source, aim.attribute)


def _release_held(source: Source, attribute: str) -> Iterator[Candidate]:
    """For the thread of an object that the environment holds, `physics.thread`, whose class has no
    method that ends it.
    """
    holder, _, name = attribute.partition(".")
    for _, made in source.assigned(holder) if name else ():
        kind = source.class_made_by(made)
        held = source.of(kind.name, kind.file.path) if kind else source
        for owner, value in held.assigned(name) if kind else ():
            place = Frame(owner.file.path, value.lineno)
            around, statement = source.around(place), source.statement_at(place)
            if called(value) in THREADS and around and statement:
                yield from _by_holder(source, "thread", *around, statement)


def _endings(
    aim: ReleaseOld, source: Source, owner: OwningClass, method: Function, statement: ast.stmt
) -> Iterator[Lines]:
    """The calls that end the object of an attribute: a process is also waited for, else a zombie
    stays.
    """
    acquisition = read_acquisition(source, owner, method, statement)
    kind = acquisition.call.rpartition(".")[2] if acquisition else ""
    if acquisition and kind in PROCESSES:
        yield calls(source, "process", acquisition)
    if acquisition and kind in THREADS and not aim.releases:
        if lines := calls(source, "thread", acquisition):
            yield lines
        return
    for call in aim.releases or ("close", "stop"):
        yield (f"self.{aim.attribute}.{call}()",)


def _release_acquired(source: Source, attribute: str) -> Iterator[Candidate]:
    for holder, value in source.assigned(attribute):
        acquisition = _acquisition_of(source, holder, attribute, value)
        is_thread = called(value) in THREADS
        for what in ("thread",) if is_thread else ("thread", "process", "descriptor"):
            if acquisition is not None:
                yield from _candidates(source, what, acquisition)


def _acquisition_of(
    source: Source, holder: OwningClass, attribute: str, value: ast.expr
) -> AcquiredResource | None:
    place = Frame(holder.file.path, value.lineno)
    around, statement = source.around(place), source.statement_at(place)
    if around is None or statement is None:
        return None
    return AcquiredResource(around[0], around[1], statement, (attribute,), value)


def _at(source: Source, what: str, frame: Frame) -> Iterator[Candidate]:
    """Edits for one line that took, best first."""
    around, statement = source.around(frame), source.statement_at(frame)
    if statement is None:
        return
    if what == CONTAINER:
        yield from _containers(source, frame)
    elif around is None:
        for read in acquired_by_function(source, frame, statement):
            yield from _candidates(source, what, read)
    else:
        yield from _in_method(source, what, frame, around, statement)


def _containers(source: Source, frame: Frame) -> Iterator[Candidate]:
    for read in containers_of(source, frame):
        yield ended_at_once(source, read)
        yield from _before_forgotten(source, read)
        yield from _candidates(source, CONTAINER, read)


def _in_method(
    source: Source,
    what: str,
    frame: Frame,
    around: tuple[OwningClass, Function],
    statement: ast.stmt,
) -> Iterator[Candidate]:
    owner, method = around
    if what in ("process", "zombie"):
        yield from end_group(frame, source)
    if owner.name not in {each.name for each in source.chain}:
        if source.holder_of(owner.name)[0] or not source.is_environment(owner):
            yield from _by_holder(source, what, owner, method, statement)
            return
        source = source.of(owner.name, owner.file.path)  # a wrapper
    acquisition = read_acquisition(source, owner, method, statement)
    if acquisition is not None:
        yield from _candidates(source, what, acquisition)
    if acquisition is None or not acquisition.attributes:
        yield from finish(frame, source)


def _by_holder(
    source: Source, what: str, owner: OwningClass, method: Function, statement: ast.stmt
) -> Iterator[Candidate]:
    """For what a class of its own took: the environment calls the method that ends it."""
    holder, kind = source.holder_of(owner.name)
    if not holder or not source.chain:
        yield from _by_way(source, owner)
        return
    subject, held = class_that_sets(source, holder), source.of(kind)
    ending = next(filter(None, map(ending_method, held.chain)), "")
    if ending:
        lines = [f"self.{holder}.{ending}()"]
        if "Thread" in {last_name(base) for base in owner.node.bases}:
            lines += waiting(f"self.{holder}", method.name)
        again = _before_the_next(source, holder, tuple(lines))
        yield from _in_ending(held, what, owner, method, statement, ending)
        if again and _is_called(source, f"self.{holder}.{ending}"):
            yield from (each for each in as_close_does(source, holder) if _does_more(each))
            yield again
        if _ends_anyway(source, lines[0]):
            return
        first, *others = _in_close(source, subject, holder, tuple(lines))
        yield first
        if again:
            yield (*first, *again)
        yield from others
        return
    acquisition = read_acquisition(held, owner, method, statement)
    lines_of = calls(held, what, acquisition) if acquisition else ()
    if not acquisition or not lines_of:
        return
    body = ("def close(self):", *_body(lines_of))
    inner = (Edit(owner.file.path, MEMBER, body, owner.name), *needed(owner.file, lines_of))
    again = _before_the_next(source, holder, (f"self.{holder}.close()",))
    first, *others = _in_close(source, subject, holder, (f"self.{holder}.close()",))
    yield (*inner, *first)
    if again:
        yield (*inner, *first, *again)
    yield from ((*inner, *each) for each in others)


def _in_ending(
    held: Source, what: str, owner: OwningClass, method: Function, statement: ast.stmt, ending: str
) -> Iterator[Candidate]:
    """Edits of the method that ends a held object, for a thread that it leaves reading."""
    acquisition = read_acquisition(held, owner, method, statement) if what == "thread" else None
    edits = stop_reading(held, acquisition, ending) if acquisition is not None else ()
    yield from (edits,) if edits else ()


def _ends_anyway(source: Source, line: str) -> bool:
    """Return True if a statement of close() is this call already."""
    closing = source.method(CLOSE)
    return closing is not None and line in map(ast.unparse, closing[1].body)


def _does_more(edits: Candidate) -> bool:
    """Return True for lines that call more than what ends it: it is taken out of a list, too."""
    nodes = ast.walk(ast.parse("\n".join(edits[0].lines)))
    return sum(isinstance(node, ast.Call) for node in nodes) > 1


def _before_forgotten(source: Source, acquisition: AcquiredResource) -> Iterator[Candidate]:
    """For what a method other than close() forgets without ending it: the lines go before that."""
    name, lines = acquisition.attributes[0], calls(source, CONTAINER, acquisition)
    for method_name in dict.fromkeys(each for owner in source.chain for each in owner.methods):
        owner, method = source.method(method_name) or (None, None)
        if owner is None or method is None or method_name in (CONSTRUCTOR, "close"):
            continue
        for node in ast.walk(method):
            if isinstance(node, ast.Assign) and _forgets(node, name):
                block = guarded(source, (name,), lines, forget=False)
                edit = Edit(owner.file.path, BEFORE, block, owner.name, line=node.lineno)
                yield (edit, *needed(owner.file, lines))


def _forgets(node: ast.Assign, attribute: str) -> bool:
    is_none = isinstance(node.value, ast.Constant) and node.value.value is None
    return is_none and attribute in map(own_attribute, node.targets)


def _by_way(source: Source, owner: OwningClass) -> Iterator[Candidate]:
    """For what is held by something that the environment holds, or by a list of it: close() calls
    the method that ends it, of the outermost that has one.
    """
    subject = source.chain[0] if source.chain else None
    for held in on_the_way(source, owner) if subject else ():
        assert subject is not None
        if held.ending:
            lines = in_close(source, held)
            yield (Edit(subject.file.path, FIRST, lines, subject.name, "close"),)


def end_held(_aim: EndHeld, source: Source) -> Iterator[Candidate]:
    """Edits with which close() ends what the environment holds, where none of its methods does;
    and with which it is ended before the next one takes its place.
    """
    yield from as_close_does(source)
    yield from _ends_held(source)
    for held in held_by(source) if source.chain else ():
        is_ended = held.ending and is_called(source, held)
        if is_ended and "." not in held.path and not held.several:
            yield _before_the_next(source, held.path, (f"self.{held.path}.{held.ending}()",))


def _ended(edits: Candidate) -> set[str]:
    """The calls of edits, such as `self.link.disconnect()`."""
    return {line.strip() for edit in edits for line in edit.lines if line.endswith("()")}


def _ends_held(source: Source) -> Iterator[Candidate]:
    """Edits with which close() ends what the environment holds, where none of its methods does."""
    for held in held_by(source) if source.chain else ():
        if held.ending and not is_called(source, held):
            for forget in _forgets_first(source, held.path):
                lines = in_close(source, held, forget)
                owner = class_that_sets(source, held.path.partition(".")[0])
                yield (Edit(owner.file.path, FIRST, lines, owner.name, "close"),)


def close_pipes(_aim: EndHeld, source: Source) -> Iterator[Candidate]:
    """Edits with which close() closes the pipes of a program that the constructor starts, which
    nothing else closes.
    """
    for owner in source.chain:
        made = owner.methods.get(CONSTRUCTOR)
        for node in made.body if made else ():
            read = read_acquisition(source, owner, made, node) if made else None
            name = read.attributes[0] if read and read.attributes and not read.several else ""
            lines = calls(source, "descriptor", read) if read and name else ()
            is_program = read is not None and read.call == POPEN
            is_ended = any(_is_called(source, line.removesuffix("()")) for line in lines)
            if is_program and not (is_ended or _is_called(source, f"self.{name}.communicate")):
                block = guarded(source, (name,), lines, forget=False) if lines else ()
                yield (Edit(owner.file.path, LAST, block, owner.name, CLOSE),) if block else ()


def _forgets_first(source: Source, path: str) -> tuple[bool, ...]:
    """Return whether close() forgets what it has ended, the best first: where the constructor makes
    it, the next reset() would miss it.
    """
    constructed = [
        value
        for owner in source.chain
        for node in ast.walk(owner.methods.get(CONSTRUCTOR, ast.Pass()))
        for target, value in assignments(node)
        if own_attribute(target) == path and called(value)
    ]
    return (False, True) if constructed else (True, False)


def _before_the_next(source: Source, attribute: str, lines: Lines) -> Candidate:
    """Edits that release what an attribute holds before a method puts the next one there."""
    block = guarded(source, (attribute,), lines, forget=False)
    return tuple(
        _before(owner, method, node, block)
        for owner in source.chain
        for method in owner.methods.values()
        if method.name != CONSTRUCTOR
        for node in ast.walk(method)
        if isinstance(node, ast.stmt)
        for target, value in assignments(node)
        if own_attribute(target) == attribute and called(value)
        if not fills_gap(method, node, attribute)
    )


def _is_called(source: Source, function: str) -> bool:
    """Return True if a method of the environment calls a function of this text."""
    return any(
        isinstance(node, ast.Call) and ast.unparse(node.func) == function
        for owner in source.chain
        for method in owner.methods.values()
        for node in ast.walk(method)
    )


def _in_close(
    source: Source, owner: OwningClass, attribute: str, lines: Lines
) -> Iterator[Candidate]:
    for position in (FIRST, LAST):
        for forget in (False, True) if _is_forgotten(source, attribute) else (True, False):
            block = guarded(source, (attribute,), lines, forget)
            yield (Edit(owner.file.path, position, block, owner.name, "close"),)


def _is_forgotten(source: Source, attribute: str) -> bool:
    """Return True if close() forgets what an attribute holds, under no condition."""
    closing = source.method(CLOSE)
    body = closing[1].body if closing else []
    return any(isinstance(node, ast.Assign) and _forgets(node, attribute) for node in body)


def _candidates(source: Source, what: str, acquisition: AcquiredResource) -> Iterator[Candidate]:
    """Yield places for the calls: first or last in close(), also before the next one is
    acquired.
    """
    lines = calls(source, what, acquisition)
    edits = stop_reading(source, acquisition, CLOSE) if what == "thread" and not lines else ()
    yield from (edits,) if edits else ()
    if not lines or not _is_set_up(source, acquisition):
        return
    owner, file = acquisition.owner, acquisition.owner.file
    positions = (LAST, FIRST) if what in ("file", "segment") else (FIRST, LAST)
    forgets: tuple[bool, ...] = (True, False)
    if any(_is_forgotten(source, name) for name in acquisition.attributes):
        forgets = (False, True)
    if what == "segment" and _is_used_in(source, "close", acquisition.attributes):
        forgets, lines = (False,), (lines[0], MAYBE_GONE, *_body(lines[1:]))
    elif acquisition.method.name == CONSTRUCTOR and what != "segment":
        # A second close() would end another one's descriptor, which has the same number by then.
        forgets = (True, False) if any(map(ONCE.match, lines)) else (False, True)
    if _is_used_in(source, "__del__", acquisition.attributes):
        forgets = (False,)  # it would raise on None
    if acquisition.attributes and not acquisition.several:
        lines = (*_out_of_lists(acquisition), *lines)
    again: Candidate = ()
    if (
        acquisition.method.name != CONSTRUCTOR
        and acquisition.attributes
        and not acquisition.several
    ):
        first = _first_assignment(acquisition)
        if not fills_gap(acquisition.method, first, acquisition.attributes[0]):
            block = guarded(source, acquisition.attributes, lines, forget=False)
            again = (_before(owner, acquisition.method, first, block),)
    extra = needed(file, lines)
    if what not in ("file", "segment") and acquisition.attributes and not acquisition.several:
        used = _after_use(source, acquisition.attributes[0], lines)
        yield from ((*used, *again, *extra),) if used else ()
    base = [
        (
            Edit(
                file.path, position, _block(source, acquisition, lines, forget), owner.name, "close"
            ),
            *extra,
        )
        for position, forget in product(positions, forgets)
    ]
    # A file has to be deleted before close() forgets it, where it closes it already.
    chosen = (base[0], base[len(forgets)]) if what == "file" else base[:1]
    with_again = [(*each, *again) for each in chosen] if again else []
    ordered = (
        [*with_again, *base] if _every_time(acquisition) else [base[0], *with_again, *base[1:]]
    )
    yield from ordered


def _after_use(source: Source, name: str, lines: Lines) -> Candidate:
    """Edits of the statements `self.log.flush()` of close(): they are done where there is something
    to release, which is released after them and forgotten, since they would raise the next time.
    """
    closing = source.method(CLOSE)
    body = closing[1].body if closing else []
    using = [each for each in body if single_attribute(each) == name]
    if closing is None or not using or _is_used_in(source, "__del__", (name,)):
        return ()
    first, last = body.index(using[0]), body.index(using[-1])
    uses = sum(name in own_attributes(each) for each in body)
    if last - first + 1 != len(using) or uses > len(using) or lines[0] in map(ast.unparse, using):
        return ()
    file = closing[0].file
    text = [line for each in using for line in statement_text(file, each)]
    block = guarded(source, (name,), (*text, *lines), forget=True)
    end = using[-1].end_lineno or using[-1].lineno
    return (Edit(file.path, INSTEAD, block, line=using[0].lineno, end=end),)


def _out_of_lists(acquisition: AcquiredResource) -> Lines:
    """The calls that take out of lists of the module what the method has put there."""
    attribute = acquisition.attributes[0]
    module = {
        last_name(target)
        for node in acquisition.owner.file.tree.body
        for target, _ in assignments(node)
    }
    return tuple(
        f"{node.func.value.id}.remove(self.{attribute})"
        for statement in block_of(acquisition.statement, acquisition.method)
        for node in [statement.value if isinstance(statement, ast.Expr) else None]
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
        if node.func.attr in ("append", "add") and isinstance(node.func.value, ast.Name)
        if node.func.value.id in module and len(node.args) == 1
        if own_attribute(node.args[0]) == attribute
    )


def _is_used_in(source: Source, method: str, attributes: Lines) -> bool:
    """Return True if a method of the class uses one of the attributes."""
    match = source.method(method)
    used = {own_attribute(node) for node in ast.walk(match[1])} if match else set()
    return not used.isdisjoint(name.partition(".")[0] for name in attributes)


def _every_time(acquisition: AcquiredResource) -> bool:
    """Return True if reset() or step() acquires it each time: under no condition."""
    return acquisition.method.name in ("reset", "step") and any(
        node is _first_assignment(acquisition) for node in acquisition.method.body
    )


def _first_assignment(acquisition: AcquiredResource) -> ast.stmt:
    """The statement of the method that puts another one into the attribute."""
    for node in ast.walk(acquisition.method):
        if isinstance(node, ast.stmt):
            for target, _ in assignments(node):
                if set(map(own_attribute, parts(target))) & set(acquisition.attributes):
                    return node
    return acquisition.statement


def _before(owner: OwningClass, method: Function, statement: ast.stmt, lines: Lines) -> Edit:
    """Put lines before a statement, and before those in front of it that put something new into
    what the lines use: a flag that is set for the next thread ends only the old one.
    """
    used = set(re.findall(r"self\.(\w+)", "\n".join(lines)))
    siblings = method.body if statement in method.body else [statement]
    earlier = siblings[: siblings.index(statement)]
    first = next((each for each in earlier if used & set(_assigned(each))), statement)
    return Edit(owner.file.path, BEFORE, lines, owner.name, line=first.lineno)


def _assigned(statement: ast.stmt) -> Iterator[str]:
    for target, _ in assignments(statement):
        yield from map(own_attribute, parts(target))


def _is_set_up(source: Source, acquisition: AcquiredResource) -> bool:
    """Return True if close() may look into the holder of the attribute: `handles` of
    `handles.log`.
    """
    holders = {name.partition(".")[0] for name in acquisition.attributes if "." in name}
    return all(source.has_at_once(name) for name in holders)


def _block(source: Source, acquisition: AcquiredResource, lines: Lines, forget: bool) -> Lines:
    if not acquisition.attributes:
        return lines
    if acquisition.several:
        return _each(source, acquisition, lines, forget)
    return guarded(source, acquisition.attributes, lines, forget)


def _each(source: Source, acquisition: AcquiredResource, lines: Lines, forget: bool) -> Lines:
    """The lines for each element of a list, or each value of a dict."""
    name, empty = acquisition.attributes[0], "{}" if acquisition.keyed else "[]"
    all_of = f"self.{name}.values()" if acquisition.keyed else f"self.{name}"
    if not source.has_at_once(name):
        held = f'getattr(self, "{name}", {empty if acquisition.keyed else "()"})'
        all_of = f"{held}.values()" if acquisition.keyed else held
    body = tuple(line.replace(f"self.{name}", "each") for line in lines)
    block: Lines = (f"for each in {all_of}:", *_body(body))
    return (*block, f"self.{name} = {empty}") if forget else block


def guarded(source: Source, attributes: Lines, lines: Lines, forget: bool) -> Lines:
    """The lines where there is something to release; and afterwards it is forgotten."""
    forgotten = tuple(f"self.{name} = None" for name in attributes) if forget else ()
    return (f"if {source.held(attributes[0])} is not None:", *_body((*lines, *forgotten)))


def _body(lines: Iterable[str]) -> Lines:
    return tuple(f"    {line}" for line in lines)
