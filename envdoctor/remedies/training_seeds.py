"""Edits with which each process, and each instance in it, has a seed of its own."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from envdoctor.discovery.syntax import argument
from envdoctor.model.remedy import BEFORE, TOP, Edit
from envdoctor.model.training_aims import (
    GiveArgument,
    GiveSeed,
    OwnSeeds,
    SeedActions,
    SeedOther,
    SpreadSeeds,
)
from envdoctor.remedies.applying import STEP, statement_text
from envdoctor.remedies.factories import SEED_STEP
from envdoctor.remedies.source import (
    Candidate,
    File,
    Function,
    OwningClass,
    Source,
    assignments,
    called,
    function_at,
    innermost,
    instead,
    last_name,
    name_of_made,
    names_in,
    names_of_module,
    own_attribute,
    own_attributes,
    replaced,
    stored_in,
    takes,
    uses,
)
from envdoctor.remedies.training import (
    assigned_at,
    covers,
    makes,
    place_of_call,
    place_of_made,
    returns_made,
)
from envdoctor.remedies.training_loops import RESET, SEED, seed_of

PROCESS, SPACE = "Process", "action_space"
#: The global generators that a script may seed, and the lines that import them.
SEEDS = {"random": "import random", "numpy.random": "import numpy as np"}
GENERATOR = "numpy.random.default_rng"
MAPS = ("map", "imap", "imap_unordered", "map_async")  # of pools and executors
COUNTS = ("range", "enumerate")
Loop = ast.For | ast.comprehension


def own_seeds(aim: OwnSeeds, source: Source) -> Iterator[Candidate]:
    """Edits of seeds that are multiples of a rank; else of those that each process gives, and of
    those that it counts up from one.
    """
    file = source.files.get(aim.place.file)
    if file is not None:
        yield replaced(file, _multiples(file))
        yield replaced(file, _of_processes(file, aim.place.line, 1))
        yield replaced(file, _of_processes(file, aim.place.line, SEED_STEP))


def give_seed(aim: GiveSeed, source: Source) -> Iterator[Candidate]:
    """Edits that reset what a line makes with the seed that the script gives NumPy's global
    generator, before its first reset(): later ones go on from there. Actions that are drawn from
    its action_space are seeded, too.
    """
    file = source.files.get(aim.place.file)
    home = _home_of(file, aim.place.line) if file else None
    if file is not None and home is None:
        yield _seeded_owner(file, aim.place.line)
        yield _seeded_attributes(file, aim.place.line)
    if file is None or home is None:
        return
    scope, name, block = home
    seed = _seed_of_numpy(file, scope)
    first = next(_resetting(block, name), None)
    if not seed or first is None:
        return
    lines = [f"{name}.{RESET}({SEED}={seed})"]
    if any(_is_space(node) for node in ast.walk(file.tree)):
        lines.append(f"{name}.{SPACE}.{SEED}({seed})")
    yield (Edit(file.path, BEFORE, tuple(lines), line=first.lineno),)


def give_argument(aim: GiveArgument, source: Source) -> Iterator[Candidate]:
    """The edit with which a call that leaves a seed to its default is given the script's:
    `make("Pong-v5", seed=SEED)`; and a call of a library's a value that is named there.
    """
    file = source.files.get(aim.place.file)
    if file is not None and aim.value:
        yield _with_value(file, aim)
        return
    statement = innermost(file, aim.place.line) if file else None
    if file is None or statement is None:
        return
    scope = function_at(file, aim.place.line) or file.tree
    seed = _seed_of_numpy(file, scope)
    calls = [
        node
        for node in ast.walk(statement)
        if isinstance(node, ast.Call) and last_name(node.func) == aim.function
        if not any(each.arg in (aim.name, None) for each in node.keywords)
    ]
    if seed and len(calls) == 1:
        yield _with_argument(file, calls[0], f"{aim.name}={seed}")


def _with_argument(file: File, call: ast.Call, argument_text: str) -> Candidate:
    text = file.text_of(call)[:-1].rstrip().rstrip(",")
    comma = ", " if call.args or call.keywords else ""
    return replaced(file, [(call, f"{text}{comma}{argument_text})")])


def _with_value(file: File, aim: GiveArgument) -> Candidate:
    """`make(size, mode=Mode.NEW)`, with the import of Mode from where make() is imported from."""
    calls = [
        (node, package)
        for node in ast.walk(file.tree)
        if isinstance(node, ast.Call) and last_name(node.func) == aim.function
        if not any(each.arg in (aim.name, None) for each in node.keywords)
        if (package := file.full_name(node.func).rpartition(".")[0])
    ]
    owner = aim.value.partition(".")[0]
    if len(calls) != 1:
        return ()
    ((call, package),) = calls
    line, defined = f"from {package} import {owner}", f"{package}.{owner}"
    is_known = file.imported.get(owner) == defined
    if not is_known and owner in names_of_module(file):
        return ()
    edits = _with_argument(file, call, f"{aim.name}={aim.value}")
    return edits if is_known or not edits else (*edits, Edit(file.path, TOP, (line,)))


def seed_other(aim: SeedOther, source: Source) -> Iterator[Candidate]:
    """`random.seed(SEED)` below `np.random.seed(SEED)`, or the other way round: in the one place of
    the user's files that seeds.
    """
    other = next(name for name in SEEDS if name != aim.generator)
    places = [
        (file, node, node.value)
        for file in source.files.values()
        for node in ast.walk(file.tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)
        if file.full_name(node.value.func) == f"{other}.{SEED}" and len(node.value.args) == 1
    ]
    for file, statement, call in places if len(places) == 1 else ():
        module, _, inner = aim.generator.partition(".")
        known = next((name for name, full in file.imported.items() if full == module), "")
        name = known or SEEDS[aim.generator].split()[-1]
        text = ".".join(filter(None, (name, inner, f"{SEED}({file.text_of(call.args[0])})")))
        lines = (*statement_text(file, statement), text)
        added = () if known else (Edit(file.path, TOP, (SEEDS[aim.generator],)),)
        if known or name not in names_of_module(file):
            yield (instead(file, statement, lines), *added)


def seed_actions(aim: SeedActions, source: Source) -> Iterator[Candidate]:
    """`env.action_space.seed(SEED)` below the reset(seed=SEED) of what a line makes; below that
    line, with the seed of NumPy's global generator, where no reset() is given one. The space of a
    vectorizer that the script makes is seeded in place of those of its instances.
    """
    file = source.files.get(source.class_file if aim.vectorizer else aim.place.file)
    place = place_of_made(file, aim.place.line) if file else None
    if file is not None and aim.vectorizer:
        place = place_of_call(file, aim.vectorizer)
    if file is not None and place is None and not aim.vectorizer:
        yield _seeded_together(file, aim.place.line)
    if file is None or place is None:
        return
    scope, block, at = place
    name, below = name_of_made(block[at]), block[at]
    seed = _seed_of_numpy(file, scope)
    for statement in _resetting(block[at + 1 :], name):
        seeds = [
            each
            for node in ast.walk(statement)
            if isinstance(node, ast.Call) and ast.unparse(node.func) == f"{name}.{RESET}"
            for each in [seed_of(node)]
        ]
        reset_seed = next(filter(None, seeds), None)
        if isinstance(statement, ast.Assign | ast.Expr) and reset_seed is not None:
            seed, below = file.text_of(reset_seed), statement
        elif reset_seed is not None and not {*names_in(reset_seed)} & {*stored_in(statement)}:
            seed = file.text_of(reset_seed)  # of a loop, the same in each round
        break
    if name and seed:
        lines = (*statement_text(file, below), f"{name}.{SPACE}.{SEED}({seed})")
        yield (instead(file, below, lines),)


def _seeded_together(file: File, line: int) -> Candidate:
    """`env.action_space.seed(seed)` for each of what the class of a line keeps in a list, above the
    one list of `env.reset(seed=seed)` for each.
    """
    owner = next((each for each in file.classes.values() if covers(each, line)), None)
    statement = innermost(file, line)
    if owner is None or not isinstance(statement, ast.Assign):
        return ()
    kept = {*map(own_attribute, statement.targets)} - {""}
    lists = [
        (method, each, node, node.generators[0])
        for method in OwningClass(file, owner).methods.values()
        for each in method.body
        if isinstance(each, ast.Assign | ast.Return)
        for node in ast.walk(each)
        if isinstance(node, ast.ListComp) and f".{RESET}(" in ast.unparse(node.elt)
    ]
    if len(lists) != 1:
        return ()
    ((method, each, node, loop),) = lists
    calls = [call for call in ast.walk(node.elt) if isinstance(call, ast.Call)]
    resets = [(call, seed) for call in calls if (seed := seed_of(call)) is not None]
    names = {*stored_in(loop.target)}
    is_free = all(uses(method, name) == uses(node, name) for name in names)
    if any(takes(method, name) for name in names) or not kept & own_attributes(loop.iter):
        return ()
    if len(resets) != 1 or len(node.generators) > 1 or loop.ifs or not is_free:
        return ()
    ((call, seed),) = resets
    name = ast.unparse(call.func).removesuffix(f".{RESET}")
    lines = (
        f"for {file.text_of(loop.target)} in {ast.unparse(loop.iter)}:",
        f"{STEP}{name}.{SPACE}.{SEED}({ast.unparse(seed)})",
    )
    return (Edit(file.path, BEFORE, lines, line=each.lineno),) if name in names else ()


def _seeded_owner(file: File, line: int) -> Candidate:
    """`env.reset(seed=SEED)` below `env = Game()`, where that class makes what the line does, and
    its own reset() takes a seed.
    """
    for node in file.classes.values():
        owner = OwningClass(file, node)
        reset = owner.methods.get(RESET)
        place = place_of_call(file, node.name) if covers(node, line) else None
        seed = _seed_of_numpy(file, place[0]) if place else ""
        if place is None or reset is None or not takes(reset, SEED) or not seed:
            continue
        _, block, at = place
        lines = (
            *statement_text(file, block[at]),
            f"{name_of_made(block[at])}.{RESET}({SEED}={seed})",
        )
        return (instead(file, block[at], lines),)
    return ()


def _seeded_attributes(file: File, line: int) -> Candidate:
    """`self.env.reset(seed=self.seed)` below `self.env = make()`: another seed for each where there
    are several.
    """
    maker = next(
        (
            node.name
            for node in ast.walk(file.tree)
            if isinstance(node, ast.FunctionDef) and returns_made(node, line)
        ),
        "",
    )
    edits: list[Edit] = []
    for node in file.classes.values():
        owner = OwningClass(file, node)
        for method, statement in ((m, s) for m in owner.methods.values() for s in ast.walk(m)):
            value = statement.value if isinstance(statement, ast.Assign) else None
            if not isinstance(statement, ast.Assign) or not isinstance(value, ast.Call):
                continue
            name, seed = own_attribute(statement.targets[0]), _seed_in_class(owner, method)
            is_made = covers(statement, line) or (maker and last_name(value.func) == maker)
            if not name or not is_made or len(statement.targets) > 1:
                continue
            if not seed:
                return ()
            text = f"{seed} + {len(edits)}" if edits else seed
            lines = (*statement_text(file, statement), f"self.{name}.{RESET}({SEED}={text})")
            edits.append(instead(file, statement, lines))
    return tuple(edits)


def _seed_in_class(owner: OwningClass, method: Function) -> str:
    """The text of the seed of NumPy's global generator in a method; `self.params["seed"]` of
    `params["seed"]`, where the class keeps the argument.
    """
    file = owner.file
    texts = {file.text_of(each): each for each in _seeds_of_numpy(file, method)}
    seed = texts.popitem()[1] if len(texts) == 1 else None
    if seed is None or not _is_plain(seed):
        return ""
    known = names_of_module(file) | {each.arg for each in method.args.args}
    (root,) = names_in(seed) or [""]
    kept = [
        own_attribute(target)
        for each in owner.methods.values()
        for node in each.body
        for target, value in assignments(node)
        if takes(each, root) and isinstance(value, ast.Name) and value.id == root
    ]
    text = file.text_of(seed)
    if not root or root in known:
        return text
    return f"self.{kept[0]}{text.removeprefix(root)}" if kept and kept[0] else ""


def _is_plain(node: ast.expr) -> bool:
    """Return True for a constant, a name, and an attribute or a part of one."""
    if isinstance(node, ast.Subscript):
        return isinstance(node.slice, ast.Constant) and _is_plain(node.value)
    if isinstance(node, ast.Attribute):
        return _is_plain(node.value)
    return isinstance(node, ast.Name | ast.Constant)


def _home_of(file: File, line: int) -> tuple[ast.AST, str, Sequence[ast.stmt]] | None:
    """The scope in which what a line makes has a name, that, and the statements that follow: there,
    or in the function of the file that it is given to at once.
    """
    place = assigned_at(file, line)
    if place is not None:
        scope, block, at = place
        return scope, name_of_made(block[at]), block[at + 1 :]
    statement = innermost(file, line)
    call = statement.value if isinstance(statement, ast.Expr) else None
    function = _function(file, call) if isinstance(call, ast.Call) else None
    if not isinstance(call, ast.Call) or function is None:
        return None
    made = [at for at, each in enumerate(call.args) if isinstance(each, ast.Call) and makes(each)]
    names = [each.arg for each in function.args.args]
    is_known = len(made) == 1 and made[0] < len(names)
    return (function, names[made[0]], function.body) if is_known else None


def _function(file: File, call: ast.Call) -> ast.FunctionDef | None:
    """The function of the file that a call is of."""
    tops = (node for node in file.tree.body if isinstance(node, ast.FunctionDef))
    return next((node for node in tops if node.name == last_name(call.func)), None)


def _seed_of_numpy(file: File, scope: ast.AST) -> str:
    """The text of the one seed that the script gives NumPy's global generator, where the scope
    knows its names: `SEED` of `set_seed(SEED)`, which calls `np.random.seed(seed)`.
    """
    known, seeds = names_of_module(file) | set(stored_in(scope)), _seeds_of_numpy(file, scope)
    known |= {each.arg for each in ast.walk(scope) if isinstance(each, ast.arg)}
    texts = {file.text_of(each) for each in seeds}
    is_known = len(texts) == 1 and _is_plain(seeds[0]) and set(names_in(seeds[0])) <= known
    return texts.pop() if is_known else ""


def _seeds_of_numpy(file: File, scope: ast.AST) -> list[ast.expr]:
    """The seeds that the script gives NumPy's global generator: itself, or by a function; without
    any, those that it makes a generator of.
    """
    seeds = list[ast.expr]()
    calls = [node for node in ast.walk(file.tree) if isinstance(node, ast.Call) and node.args]
    for call in calls:
        if file.full_name(call.func) == "numpy.random.seed":
            around = function_at(file, call.lineno)
            argument_name = last_name(call.args[0])
            names = [each.arg for each in around.args.args] if around else []
            if around is None or around is scope or argument_name not in names:
                seeds.append(call.args[0])
                continue
            at = names.index(argument_name)
            seeds += [
                other.args[at]
                for other in calls
                if last_name(other.func) == around.name and at < len(other.args)
            ]
    made = (call.args[0] for call in calls if file.full_name(call.func) == GENERATOR)
    return seeds or [each for each in made if SEED in file.text_of(each).lower()]


def _resetting(block: Sequence[ast.stmt], name: str) -> Iterator[ast.stmt]:
    """The statements of a block that reset what has a name."""
    for statement in block:
        calls = [node for node in ast.walk(statement) if isinstance(node, ast.Call)]
        if any(ast.unparse(each.func) == f"{name}.{RESET}" for each in calls):
            yield statement


def _is_space(node: ast.AST) -> bool:
    """Return True for `env.action_space` of a script; that of a class is not its own."""
    if not isinstance(node, ast.Attribute) or node.attr != SPACE:
        return False
    return isinstance(node.value, ast.Name) and node.value.id != "self"


def spread_in_processes(aim: SpreadSeeds, source: Source) -> Iterator[Candidate]:
    """Edits of the seeds of vectorizers that a function makes which several processes run."""
    file = source.files.get(aim.place.file)
    if file is not None:
        yield replaced(file, _of_processes(file, aim.place.line, SEED_STEP))


def _multiples(file: File) -> Iterator[tuple[ast.expr, str]]:
    """`SEED + rank * number + index` for `SEED + rank * index`, where there are so many."""
    for scope in ast.walk(file.tree):
        is_named = isinstance(scope, ast.FunctionDef) and SEED in scope.name.lower()
        is_given = isinstance(scope, ast.Assign) and any(
            SEED in ast.unparse(each).lower() for each in scope.targets
        )
        for node in ast.walk(scope) if is_named or is_given else ():
            if isinstance(node, ast.ListComp | ast.GeneratorExp) and len(node.generators) == 1:
                index, number = _counted(file, node.generators[0])
                text = _with_number(file, node.elt, index, number) if number else ""
                if text:
                    yield node.elt, text


def _counted(file: File, loop: Loop) -> tuple[str, str]:
    """The variable of `for index in range(number)`, and the number."""
    call = loop.iter
    plain = isinstance(call, ast.Call) and called(call) == "range" and len(call.args) == 1
    if not (plain and isinstance(call, ast.Call) and isinstance(loop.target, ast.Name)):
        return "", ""
    (number,) = call.args
    text = file.text_of(number)
    is_name = isinstance(number, ast.Name | ast.Attribute | ast.Constant)
    return loop.target.id, text if is_name else f"({text})"


def _with_number(file: File, node: ast.expr, index: str, number: str) -> str:
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Add):
        return ""
    product = node.right
    if not isinstance(product, ast.BinOp) or not isinstance(product.op, ast.Mult):
        return ""
    sides = [each for each in (product.left, product.right) if names_in(each) != [index]]
    is_plain = len(sides) == 1 and isinstance(sides[0], ast.Name | ast.Attribute)
    if not is_plain or uses(node.left, index):
        return ""
    return f"{file.text_of(node.left)} + {file.text_of(sides[0])} * {number} + {index}"


def _of_processes(file: File, line: int, step: int) -> list[tuple[ast.expr, str]]:
    """`SEED + index` for the one seed in the function around a line, whose argument `index` differs
    from process to process.
    """
    around = [
        node
        for node in file.tree.body
        if isinstance(node, ast.FunctionDef) and node.lineno <= line <= (node.end_lineno or 0)
    ]
    indices = set(_indices(file, around[0])) if around else set()
    if len(indices) != 1:
        return []
    (function,), index = around, indices.pop()
    seeds = [seed_of(node) for node in ast.walk(function) if isinstance(node, ast.Call)]
    known = [seed for seed in seeds if seed is not None]
    is_plain = all(_is_constant(function, each) for each in known)
    is_counted = step > 1 and all(_is_counted_up(each, index) for each in known)
    if not known or not (is_plain or is_counted):
        return []
    term = index if step == 1 else f"{step} * {index}"
    return [(each, _sum(file.text_of(each), term)) for each in known]


def _is_counted_up(seed: ast.expr, index: str) -> bool:
    """Return True for `seed + number`, which has nothing of the process."""
    nodes = (ast.BinOp, ast.operator, ast.Name, ast.Attribute, ast.Constant, ast.expr_context)
    is_sum = isinstance(seed, ast.BinOp) and isinstance(seed.op, ast.Add)
    return is_sum and not uses(seed, index) and all(isinstance(n, nodes) for n in ast.walk(seed))


def _sum(seed: str, term: str) -> str:
    return term if seed == "0" else f"{seed} + {term}"


def _is_constant(function: ast.FunctionDef, seed: ast.expr) -> bool:
    """Return True for a number, and for a name that the function neither is given nor makes."""
    if isinstance(seed, ast.Constant):
        return type(seed.value) is int
    own = {each.arg for each in ast.walk(function) if isinstance(each, ast.arg)}
    own |= set(stored_in(function))
    return isinstance(seed, ast.Name | ast.Attribute) and own.isdisjoint(names_in(seed))


def _indices(file: File, function: ast.FunctionDef) -> Iterator[str]:
    """The arguments of a function that count the processes which run it, or which run the function
    that calls it.
    """
    yield from _counted_by_loops(file, function)
    names = [each.arg for each in function.args.args]
    for other in (each for each in file.tree.body if isinstance(each, ast.FunctionDef)):
        calls = [each for each in ast.walk(other) if called(each) == function.name]
        call = calls[0] if len(calls) == 1 and other is not function else None
        if isinstance(call, ast.Call):
            counts = set(_counted_by_loops(file, other))
            values = zip(names, map(last_name, call.args), strict=False)
            yield from (name for name, value in values if value in counts)


def _counted_by_loops(file: File, function: ast.FunctionDef) -> Iterator[str]:
    names = [each.arg for each in function.args.args]
    for loop, call in _calls(file.tree):
        positions = _counters(loop, call, function.name)
        yield from (names[at] for at in positions if at < len(names))


def _counters(loop: Loop | None, call: ast.Call, function: str) -> Iterator[int]:
    """The arguments that a call gives another number for each process that runs the function."""
    is_run = last_name(argument(call, "target")) == function
    if last_name(call.func) == PROCESS and is_run and loop is not None:
        passed = argument(call, "args")
        counter = _counter(loop)
        for at, value in enumerate(passed.elts if isinstance(passed, ast.Tuple) else ()):
            if counter and isinstance(value, ast.Name) and value.id == counter:
                yield at
    mapped, over = list(map(last_name, call.args[:1])), list(map(called, call.args[1:2]))
    if last_name(call.func) in MAPS and mapped == [function] and over == ["range"]:
        yield 0


def _counter(loop: Loop) -> str:
    """`index` of `for index in range(3)`, and of `for index, pipe in enumerate(pipes)`."""
    if called(loop.iter) not in COUNTS:
        return ""
    target: ast.expr = loop.target
    if called(loop.iter) == "enumerate" and isinstance(target, ast.Tuple):
        target = target.elts[0]
    return target.id if isinstance(target, ast.Name) else ""


def _calls(node: ast.AST, loop: Loop | None = None) -> Iterator[tuple[Loop | None, ast.Call]]:
    """(innermost loop, call) for each call."""
    if isinstance(node, ast.Call):
        yield loop, node
    loops: Sequence[Loop] = [node] if isinstance(node, ast.For) else ()
    if isinstance(node, ast.ListComp | ast.GeneratorExp):
        loops = node.generators[-1:]
    for child in ast.iter_child_nodes(node):
        yield from _calls(child, loops[0] if loops else loop)
