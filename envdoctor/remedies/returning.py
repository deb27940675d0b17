"""Edits that let reset() and step() return a copy of what they would hand out again."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from envdoctor.model.environment_aims import (
    CastEntry,
    CopyAction,
    CopyReturned,
    DetachReturned,
    FloatEntry,
    ReturnAll,
    ReturnArray,
    ReturnFlag,
    ReturnNumber,
    TakeBatches,
)
from envdoctor.model.remedy import FIRST, TOP, Edit
from envdoctor.remedies.needing import needed
from envdoctor.remedies.source import (
    Candidate,
    File,
    Function,
    Source,
    assignments,
    called,
    own_attribute,
    replaced,
)

TORCH = "torch"
ARRAYS = ("numpy.array", "numpy.asarray")
ONE_VALUE = (ast.Name, ast.Attribute, ast.Call, ast.List, ast.Tuple)
METHODS = ("reset", "step")
NORM = "numpy.linalg.norm"
CONTAINERS = (
    "list",
    "dict",
    "set",
    "deque",
    "defaultdict",
    "OrderedDict",
    "Counter",
    "zeros",
    "array",
)


def copy_returned(aim: CopyReturned, source: Source) -> Iterator[Candidate]:
    """Edits of the returns: those of the method that makes the part, else those of both."""
    source = source.of(aim.owner) if aim.owner else source
    methods = [method for method in map(source.method, METHODS) if method]
    parts = [
        (owner.file, node, part)
        for owner, method in methods
        for node in returns_of(method)
        for part in [_part(node, aim.what)]
        if part is not None
    ]
    makers = {own_attribute(part.func) for _, _, part in parts if isinstance(part, ast.Call)} - {""}
    for maker in sorted(makers):
        inner = source.method(maker)
        if inner is not None:
            returns = returns_of(inner[1])
            yield from _edits([(inner[0].file, node, node.value) for node in returns], aim)
    yield from _edits(parts, aim)
    yield tuple(edit for file, _, part in parts for edit in _entries(part, file, source))


def _entries(part: ast.expr, file: File, source: Source) -> Iterator[Edit]:
    """Edits of a dict with which it has copies of lists and of other containers that the instance
    keeps.
    """
    for value in part.values if isinstance(part, ast.Dict) else ():
        kept = [made for _, made in source.assigned(own_attribute(value))]
        if any(_is_container(made) for made in kept):
            yield from replaced(file, [(value, f"{file.text_of(value)}.copy()")])


def _is_container(value: ast.expr) -> bool:
    literals = (ast.List, ast.ListComp, ast.Dict, ast.DictComp, ast.Set, ast.SetComp)
    return isinstance(value, literals) or called(value) in CONTAINERS


def return_number(_aim: ReturnNumber, source: Source) -> Iterator[Candidate]:
    """Edits with which step() returns its reward as reward.item(), or else as float(reward), which
    NumPy does not make of an array with dimensions from 2.4 on.
    """
    step = source.method("step")
    returns = returns_of(step[1]) if step else []
    rewards = [
        node.value.elts[1]
        for node in returns
        if isinstance(node.value, ast.Tuple) and len(node.value.elts) in (4, 5)
        if not isinstance(node.value.elts[1], ast.Constant)
    ]
    if step is not None and rewards:
        file = step[0].file
        for pattern in ("{}.item()", "float({})"):
            texts = [(each, pattern.format(_as_operand(each, file, pattern))) for each in rewards]
            yield replaced(file, texts)


def return_array(aim: ReturnArray, source: Source) -> Iterator[Candidate]:
    """Edits with which a method returns `np.array(state, np.float32)`, as another one of the class
    has it; else with the dtype of the space.
    """
    owner, method = source.method(aim.method) or (None, None)
    if owner is None or method is None:
        return
    file = owner.file
    arrays = {
        file.text_of(part.args[0]): file.text_of(part)
        for each in (*METHODS, aim.method)
        for home, other in filter(None, [source.method(each)])
        if home.file is file
        for node in returns_of(other)
        for part in [_part(node, "observation")]
        if isinstance(part, ast.Call) and part.args and file.full_name(part.func) in ARRAYS
    }
    parts = [part for node in returns_of(method) if (part := _part(node, "observation"))]
    bare = [part for part in parts if file.full_name(getattr(part, "func", None)) not in ARRAYS]
    numpy = next((name for name, full in file.imported.items() if full == "numpy"), "")
    texts = []
    for part in bare if all(isinstance(each, ONE_VALUE) for each in bare) else ():
        text = file.text_of(part)
        made = f"{numpy or 'np'}.array({text}, self.observation_space.dtype)"
        texts.append((part, arrays.get(text, made)))
    edits = replaced(file, texts)
    if edits:
        yield edits if numpy else (Edit(file.path, TOP, ("import numpy as np",)), *edits)


def return_flag(aim: ReturnFlag, source: Source) -> Iterator[Candidate]:
    """Edits with which step() says True once each value of its dict is true."""
    step = source.method("step")
    parts = [
        node.value.elts[aim.at]
        for node in (returns_of(step[1]) if step else ())
        if isinstance(node.value, ast.Tuple) and len(node.value.elts) == 5
        if not isinstance(node.value.elts[aim.at], ast.Constant)
    ]
    if step is not None and parts:
        file = step[0].file
        texts = [
            (part, f"all({_as_operand(part, file, '')}.values())")
            for part in parts
            if isinstance(part, ast.Name | ast.Attribute | ast.Call)
        ]
        yield replaced(file, texts) if len(texts) == len(parts) else ()


def detach_returned(_aim: DetachReturned, source: Source) -> Iterator[Candidate]:
    """Edits with which reset() and step() return detached tensors: those of the method that makes
    an observation, and those that return an attribute.
    """
    texts: list[tuple[File, ast.expr, str]] = []
    for name in METHODS:
        owner, method = source.method(name) or (None, None)
        for node in returns_of(method) if owner and method else ():
            part = _part(node, "observation")
            if owner is not None and isinstance(part, ast.Attribute | ast.Name | ast.Call):
                texts.append((owner.file, part, f"{owner.file.text_of(part)}.detach()"))
    yield tuple(edit for file, part, text in texts for edit in replaced(file, [(part, text)]))


def float_entry(aim: FloatEntry, source: Source) -> Iterator[Candidate]:
    """Edits of the dicts that methods make, and of what is put into them: this key has a float."""
    edits: list[Edit] = []
    for owner in source.chain:
        values = [
            value
            for method in owner.methods.values()
            for node in ast.walk(method)
            for value in _under(node, aim.key)
            if called(value) != "float" and not isinstance(value, ast.JoinedStr)
        ]
        for value in values:
            edits += replaced(owner.file, [(value, f"float({owner.file.text_of(value)})")])
    yield tuple(edits)


def cast_entry(aim: CastEntry, source: Source) -> Iterator[Candidate]:
    """Edits of the dicts that methods make: this key has a tensor of the dtype that is specified,
    `self.speed.to(torch.float32)`.
    """
    edits: list[Edit] = []
    names = dict.fromkeys(name for owner in source.chain for name in owner.methods)
    for owner, method in filter(None, map(source.method, names)):
        torch = next((name for name, full in owner.file.imported.items() if full == TORCH), "")
        dtype = f"{torch}.{aim.dtype}"
        for value in (each for node in ast.walk(method) for each in _under(node, aim.key) if torch):
            is_cast = isinstance(value, ast.Call) and called(value) == "to" and not value.keywords
            old = value.args[0] if isinstance(value, ast.Call) and is_cast and value.args else None
            if owner.file.full_name(old).startswith(f"{TORCH}."):
                assert old is not None
                edits += replaced(owner.file, [(old, dtype)])
            elif isinstance(value, ONE_VALUE) and not isinstance(value, ast.List | ast.Tuple):
                text = f"{owner.file.text_of(value)}.to({dtype})"
                edits += replaced(owner.file, [(value, text)])
    yield tuple(edits)


def _under(node: ast.AST, key: str) -> Iterator[ast.expr]:
    """The values that a dict gets under a key."""
    if isinstance(node, ast.Dict):
        for name, value in zip(node.keys, node.values, strict=True):
            if isinstance(name, ast.Constant) and name.value == key:
                yield value
    for target, value in assignments(node):
        index = target.slice if isinstance(target, ast.Subscript) else None
        if isinstance(index, ast.Constant) and index.value == key:
            yield value


def return_all(_aim: ReturnAll, source: Source) -> Iterator[Candidate]:
    """Edits of `return observation` in reset(), to which an info is added, and of
    `return observation, reward, done, info` in step(), to which `truncated` is.
    """
    texts: list[tuple[File, ast.expr, str]] = []
    for name in METHODS:
        owner, method = source.method(name) or (None, None)
        for node in returns_of(method) if owner and method else ():
            part, text = _lacking(name, node.value)
            if owner is not None and part is not None:
                texts.append((owner.file, part, f"{owner.file.text_of(part)}, {text}"))
    edits = (edit for file, node, text in texts for edit in replaced(file, [(node, text)]))
    yield tuple(edits)


def _lacking(method: str, value: ast.expr | None) -> tuple[ast.expr | None, str]:
    """The part of a return behind which another one is missing, and that. What another reset()
    returns is left to it.
    """
    if isinstance(value, ast.Tuple):
        return (value.elts[2], "False") if (method, len(value.elts)) == ("step", 4) else (None, "")
    is_alone = method == "reset" and called(value) != "reset"
    return (value, "{}") if is_alone else (None, "")


def returns_of(method: Function) -> list[ast.Return]:
    """The return statements of a method, without those of the functions in it."""
    returns: list[ast.Return] = []
    waiting: list[ast.AST] = [*method.body]
    while waiting:
        node = waiting.pop(0)
        if isinstance(node, ast.Return):
            returns.append(node)
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            waiting += ast.iter_child_nodes(node)
    return returns


def _as_operand(node: ast.expr, file: File, pattern: str) -> str:
    text = file.text_of(node)
    is_alone = isinstance(node, ast.Name | ast.Attribute | ast.Call | ast.Subscript)
    return text if is_alone or pattern.startswith("float") else f"({text})"


def take_batches(_aim: TakeBatches, source: Source) -> Iterator[Candidate]:
    """Edits of compute_reward(), whose norms are those of the last axis: one for each goal."""
    owner, method = source.method("compute_reward") or (None, None)
    texts = [
        (node, f"{owner.file.text_of(node)[:-1]}, axis=-1)")
        for node in (ast.walk(method) if owner and method else ())
        if isinstance(node, ast.Call) and owner is not None
        if owner.file.full_name(node.func) == NORM and len(node.args) == 1 and not node.keywords
    ]
    if owner is not None:
        yield replaced(owner.file, texts)


def copy_action(aim: CopyAction, source: Source) -> Iterator[Candidate]:
    """Edits with which step() begins with a copy of its action."""
    step = (source.of(aim.owner) if aim.owner else source).method("step")
    if step is None:
        return
    owner, method = step
    for argument in method.args.args[1:2]:
        line = f"{argument.arg} = {argument.arg}.copy()"
        yield (Edit(owner.file.path, FIRST, (line,), owner.name, method.name),)


def _part(node: ast.Return, what: str) -> ast.expr | None:
    """The observation, or the info, that a return statement hands out."""
    value, place = node.value, 0 if what == "observation" else -1
    if isinstance(value, ast.Tuple) and value.elts:
        return value.elts[place]
    if called(value).endswith("Timestep"):
        assert isinstance(value, ast.Call)
        return value.args[place] if value.args else None
    return value if what == "observation" else None


def _edits(
    parts: Sequence[tuple[File, ast.Return, ast.expr | None]], aim: CopyReturned
) -> Iterator[Candidate]:
    copied = [
        (file, part, _in_parentheses(part, file))
        for file, node, part in parts
        if isinstance(part, ast.Attribute | ast.Name | ast.Call | ast.IfExp)
        and node.end_lineno == node.lineno
    ]
    edits = [
        edit
        for file, part, text in copied
        for edit in replaced(
            file, [(part, f"{text}.copy()" if aim.array else f"copy.deepcopy({text})")]
        )
    ]
    if edits:
        lines = () if aim.array else ("copy.",)
        yield (*edits, *needed(parts[0][0], lines))


def _in_parentheses(part: ast.expr, file: File) -> str:
    text = file.text_of(part)
    return f"({text})" if isinstance(part, ast.IfExp) else text
