"""The ids that a project registers, also those that loops, functions and constants put together."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Callable, Iterable, Mapping

from envdoctor.discovery.files import SourceFile
from envdoctor.discovery.folding import (
    UNKNOWN,
    Ended,
    FoldingState,
    Named,
    Scope,
    Unknown,
    attribute,
    bounded,
    built_in,
    copied,
    is_key,
    is_known,
    is_plain,
    item,
    keep_small,
    method,
    operated,
    same,
    scope_of,
    shown,
)
from envdoctor.discovery.modules import Registration, is_register
from envdoctor.discovery.syntax import full_name, imported, parsed
from envdoctor.model.fast_dataclass import dataclass

ID, ENTRY_POINT, KWARGS = "id", "entry_point", "kwargs"  # arguments of register()
DEEPEST = 12  # calls in calls, and imports of what was imported

Definition = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class FoldedFunction:
    """A function of a file, whose names are those of its module."""

    node: Definition
    module: FoldedModule


class FoldedProject:
    """The files of a project by the names of their modules, each read when it is asked for."""

    def __init__(self, files: Iterable[SourceFile], registries: tuple[str, ...]) -> None:
        self._registries = registries
        self._files = {file.module: file for file in files if file.module}
        self._modules: dict[str, FoldedModule | None] = {}
        self.unfinished: list[str] = []  # paths of files that may register more

    def is_register(self, name: str) -> bool:
        """Return whether a function registers an id."""
        return is_register(name, self._registries)

    def registered(self, file: SourceFile) -> tuple[Registration, ...]:
        """The ids that a file registers, in their order: by its import, or in its functions."""
        state = FoldingState()
        module = FoldedModule(file, self)
        try:
            module.run(state)
            state.by_import = False
            for node in module.functions:
                if id(node) not in state.entered:
                    module.call(node, [], {}, state)
        except (Ended, RecursionError):  # the last step; an expression of a thousand parts
            self.unfinished.append(file.path)
        return tuple(state.registered.values())

    def value(self, name: str, state: FoldingState) -> object:
        """The value of a full name: a constant, a class or a function of a file, or what another
        package has by that name.
        """
        parts = name.split(".")
        for length in range(len(parts) - 1, 0, -1):
            module = self._module(".".join(parts[:length]), state)
            if module is None:
                continue
            value = module.named(parts[length], state)
            for part in parts[length + 1 :]:
                value = attribute(value, part)
            return value
        return Named(name, {})

    def _module(self, name: str, state: FoldingState) -> FoldedModule | None:
        if name not in self._modules:
            file = self._files.get(name)
            module = None if file is None else FoldedModule(file, self)
            self._modules[name] = module
            if module is not None and state.depth < DEEPEST:
                module.run(FoldingState(state.steps // 2, state.depth + 1))
        return self._modules[name]


class FoldedModule:
    """One file: what its names stand for after its statements."""

    def __init__(self, file: SourceFile, project: FoldedProject) -> None:
        self._project = project
        self._tree = parsed(file.text)
        self._name = file.module or file.path
        is_package = file.path.endswith("__init__.py")
        self._imports = imported(self._tree, file.module, is_package)
        self._scope: Scope = {"__name__": file.module}

    @property
    def functions(self) -> list[Definition]:
        """The functions at the top."""
        return [each for each in self._tree.body if isinstance(each, Definition)]

    def run(self, state: FoldingState) -> None:
        """Follow the statements. Raises Ended where they are too many."""
        for each in self.functions:  # one may call another that stands below it
            self._scope[each.name] = FoldedFunction(each, self)
        try:
            self._all(self._tree.body, self._scope, state)
        except Ended as end:
            if end.kind is None and state.depth == 0:
                raise

    def named(self, name: str, state: FoldingState) -> object:
        """The value of a name of the file, also of one that it imports."""
        if name in self._scope:
            return self._scope[name]
        if name in self._imports and state.depth < DEEPEST:
            state.depth += 1
            value = self._project.value(self._imports[name], state)
            state.depth -= 1
            return value
        return UNKNOWN

    def call(
        self,
        node: Definition,
        values: list[object],
        named: Mapping[str, object],
        state: FoldingState,
    ) -> object:
        """The result of a function. Arguments that are not passed are unknown, or have defaults."""
        state.entered.add(id(node))
        if state.depth >= DEEPEST:
            return UNKNOWN
        state.depth += 1
        try:
            scope = scope_of(
                node.args, values, named, lambda each: self._value(each, self._scope, state)
            )
            self._all(node.body, scope, state)
        except Ended as end:
            if end.kind is not ast.Return:
                raise
            return end.value
        finally:
            state.depth -= 1
        return None

    def _all(self, body: Iterable[ast.stmt], scope: Scope, state: FoldingState) -> None:
        for node in body:
            state.step()
            if state.depth == 0:
                state.line = node.lineno
            self._statement(node, scope, state)

    def _statement(self, node: ast.stmt, scope: Scope, state: FoldingState) -> None:
        if isinstance(node, (ast.Break, ast.Continue)):
            raise Ended(type(node))
        follow = STATEMENTS.get(type(node))
        if follow is not None:
            follow(self, node, scope, state)

    def _assign(self, node: ast.Assign | ast.AnnAssign, scope: Scope, state: FoldingState) -> None:
        if node.value is None:
            return
        value = self._value(node.value, scope, state)
        for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
            self._bind(target, value, scope, state)

    def _change(self, node: ast.AugAssign, scope: Scope, state: FoldingState) -> None:
        left = self._value(node.target, scope, state)
        right = self._value(node.value, scope, state)
        self._bind(node.target, operated(type(node.op), left, right), scope, state)

    def _expression(self, node: ast.Expr, scope: Scope, state: FoldingState) -> None:
        self._value(node.value, scope, state)

    def _define(self, node: Definition, scope: Scope, state: FoldingState) -> None:
        state.step()
        scope[node.name] = FoldedFunction(node, self)

    def _return(self, node: ast.Return, scope: Scope, state: FoldingState) -> None:
        raise Ended(ast.Return, self._value(node.value, scope, state))

    def _while(self, node: ast.While, scope: Scope, state: FoldingState) -> None:
        self._perhaps([node.body, node.orelse], scope, state)

    def _try(self, node: ast.Try, scope: Scope, state: FoldingState) -> None:
        self._all(node.body, scope, state)
        self._perhaps([[], *(each.body for each in node.handlers)], scope, state)
        self._all([*node.orelse, *node.finalbody], scope, state)

    def _with(self, node: ast.With | ast.AsyncWith, scope: Scope, state: FoldingState) -> None:
        self._all(node.body, scope, state)

    def _class(self, node: ast.ClassDef, scope: Scope, state: FoldingState) -> None:
        inside = dict(scope)
        body = [each for each in node.body if isinstance(each, (ast.Assign, ast.AnnAssign))]
        for each in body:
            self._statement(each, inside, state)
        own = {name: value for name, value in inside.items() if value is not scope.get(name)}
        scope[node.name] = Named(f"{self._name}.{node.name}", own)

    def _bind(self, target: ast.expr, value: object, scope: Scope, state: FoldingState) -> None:
        if isinstance(target, ast.Name):
            scope[target.id] = value
        elif isinstance(target, (ast.Tuple, ast.List)):
            values = list(value) if isinstance(value, (list, tuple, dict, str)) else []
            if len(values) != len(target.elts):
                values = [UNKNOWN] * len(target.elts)
            for each, part in zip(target.elts, values, strict=True):
                self._bind(each, part, scope, state)
        elif isinstance(target, ast.Subscript):
            container = self._value(target.value, scope, state)
            key = self._value(target.slice, scope, state)
            if isinstance(container, dict) and is_key(key):
                container[key] = value
                keep_small(container)

    def _if(self, node: ast.If, scope: Scope, state: FoldingState) -> None:
        test = self._value(node.test, scope, state)
        if is_known(test):
            self._all(node.body if test else node.orelse, scope, state)
        else:
            self._perhaps([node.body, node.orelse], scope, state)

    def _perhaps(self, bodies: Iterable[list[ast.stmt]], scope: Scope, state: FoldingState) -> None:
        """Follow each of these as if it were run. Names that differ afterwards are unknown."""
        before, after = dict(scope), list[Scope]()
        for body in bodies:
            branch = {name: copied(value) for name, value in before.items()}
            try:
                self._all(body, branch, state)
            except Ended as end:
                if end.kind is None:
                    raise
                continue  # what follows is for the others
            after.append(branch)
        for name in {name for branch in after for name in branch}:
            first, *others = (branch.get(name, UNKNOWN) for branch in after)
            scope[name] = first if all(same(first, each) for each in others) else UNKNOWN

    def _for(self, node: ast.For | ast.AsyncFor, scope: Scope, state: FoldingState) -> None:
        items = self._rounds(node.iter, scope, state)
        if items is None:
            self._bind(node.target, UNKNOWN, scope, state)
            self._perhaps([node.body, []], scope, state)
            return
        for each in items:
            self._bind(node.target, each, scope, state)
            try:
                self._all(node.body, scope, state)
            except Ended as end:
                if end.kind is ast.Break:
                    return
                if end.kind is not ast.Continue:
                    raise
        self._all(node.orelse, scope, state)

    def _rounds(self, node: ast.expr, scope: Scope, state: FoldingState) -> Iterable[object] | None:
        """The items that a loop goes through, None where they are unknown. Those of a product are
        not held: lb-foraging registers 4,320 ids by one.
        """
        name = full_name(node.func, self._imports) if isinstance(node, ast.Call) else ""
        if isinstance(node, ast.Call) and name == "itertools.product" and not node.keywords:
            values, _ = self._passed(node, scope, state)
            known = [each for each in values if isinstance(each, (list, tuple, dict, str))]
            return itertools.product(*known) if len(known) == len(values) else None
        items = self._value(node, scope, state)
        return list(items) if isinstance(items, (list, tuple, dict, str)) else None

    def _value(self, node: ast.expr | None, scope: Scope, state: FoldingState) -> object:
        """The value of an expression."""
        state.step()
        if isinstance(node, ast.Constant):
            return node.value if is_plain(node.value) else UNKNOWN
        read = None if node is None else READERS.get(type(node))
        return UNKNOWN if read is None else read(self, node, scope, state)

    def _of_name(self, node: ast.Name, scope: Scope, state: FoldingState) -> object:
        if node.id in scope:
            return scope[node.id]
        return self.named(node.id, state)

    def _of_attribute(self, node: ast.Attribute, scope: Scope, state: FoldingState) -> object:
        name = full_name(node, self._imports)
        first = name.partition(".")[0]
        if name and first not in scope and "." in name:
            value = self._project.value(name, state)
            if not isinstance(value, Unknown):
                return value
        return attribute(self._value(node.value, scope, state), node.attr)

    def _of_list(
        self, node: ast.List | ast.Tuple | ast.Set, scope: Scope, state: FoldingState
    ) -> object:
        values: list[object] = []
        for each in node.elts:
            if isinstance(each, ast.Starred):
                inner = self._value(each.value, scope, state)
                if not isinstance(inner, (list, tuple, dict)):
                    return UNKNOWN
                values += inner
            else:
                values.append(self._value(each, scope, state))
        return bounded(tuple(values) if isinstance(node, ast.Tuple) else values)

    def _of_dict(self, node: ast.Dict, scope: Scope, state: FoldingState) -> object:
        values: dict[object, object] = {}
        for key, each in zip(node.keys, node.values, strict=True):
            value = self._value(each, scope, state)
            if key is None:
                values |= value if isinstance(value, dict) else {}
                continue
            name = self._value(key, scope, state)
            if is_key(name):
                values[name] = value
        return bounded(values)

    def _of_binary(self, node: ast.BinOp, scope: Scope, state: FoldingState) -> object:
        left = self._value(node.left, scope, state)
        return operated(type(node.op), left, self._value(node.right, scope, state))

    def _of_logic(self, node: ast.BoolOp, scope: Scope, state: FoldingState) -> object:
        decides = isinstance(node.op, ast.Or)  # the first such value is the result
        values = [self._value(each, scope, state) for each in node.values]
        for value in values[:-1]:
            if not is_known(value):
                return UNKNOWN
            if bool(value) is decides:
                return value
        return values[-1]

    def _of_comparison(self, node: ast.Compare, scope: Scope, state: FoldingState) -> object:
        if len(node.ops) > 1:
            return UNKNOWN
        left = self._value(node.left, scope, state)
        return operated(type(node.ops[0]), left, self._value(node.comparators[0], scope, state))

    def _of_not(self, node: ast.UnaryOp, scope: Scope, state: FoldingState) -> object:
        value = self._value(node.operand, scope, state)
        if not is_known(value):
            return UNKNOWN
        if isinstance(node.op, ast.Not):
            return not value
        is_minus = isinstance(node.op, ast.USub) and isinstance(value, (int, float))
        return -value if is_minus and isinstance(value, (int, float)) else UNKNOWN

    def _of_choice(self, node: ast.IfExp, scope: Scope, state: FoldingState) -> object:
        test = self._value(node.test, scope, state)
        first, second = (self._value(each, scope, state) for each in (node.body, node.orelse))
        if is_known(test):
            return first if test else second
        return first if same(first, second) else UNKNOWN

    def _of_text(self, node: ast.JoinedStr, scope: Scope, state: FoldingState) -> object:
        parts = [self._value(each, scope, state) for each in node.values]
        texts = [each for each in parts if isinstance(each, str)]
        return bounded("".join(texts)) if len(texts) == len(parts) else UNKNOWN

    def _of_part(self, node: ast.FormattedValue, scope: Scope, state: FoldingState) -> object:
        spec = "" if node.format_spec is None else self._value(node.format_spec, scope, state)
        return shown(self._value(node.value, scope, state), node.conversion, spec)

    def _of_item(self, node: ast.Subscript, scope: Scope, state: FoldingState) -> object:
        container = self._value(node.value, scope, state)
        if isinstance(node.slice, ast.Slice):
            ends = [
                None if each is None else self._value(each, scope, state)
                for each in (node.slice.lower, node.slice.upper, node.slice.step)
            ]
            return item(container, slice(*ends)) if all(map(is_known, ends)) else UNKNOWN
        return item(container, self._value(node.slice, scope, state))

    def _of_comprehension(
        self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp, scope: Scope, state: FoldingState
    ) -> object:
        inside, values = dict(scope), list[object]()
        ended = self._each(
            node.generators,
            inside,
            state,
            lambda: values.append(self._value(node.elt, inside, state)),
        )
        return bounded(values) if ended else UNKNOWN

    def _of_table(self, node: ast.DictComp, scope: Scope, state: FoldingState) -> object:
        inside, values = dict(scope), dict[object, object]()

        def add() -> None:
            key = self._value(node.key, inside, state)
            if is_key(key):
                values[key] = self._value(node.value, inside, state)

        ended = self._each(node.generators, inside, state, add)
        return bounded(values) if ended else UNKNOWN

    def _each(
        self,
        generators: list[ast.comprehension],
        scope: Scope,
        state: FoldingState,
        add: Callable[[], None],
    ) -> bool:
        """Add for each round of a comprehension; False where the rounds are not known."""
        if not generators:
            add()
            return True
        first, *others = generators
        items = self._rounds(first.iter, scope, state)
        if items is None:
            return False
        for each in items:
            self._bind(first.target, each, scope, state)
            tests = [self._value(test, scope, state) for test in first.ifs]
            if not all(map(is_known, tests)):
                return False
            if all(tests) and not self._each(others, scope, state, add):
                return False
        return True

    def _of_call(self, node: ast.Call, scope: Scope, state: FoldingState) -> object:
        values, named = self._passed(node, scope, state)
        name = full_name(node.func, self._imports)
        if self._project.is_register(name):
            self._register(node, values, named, state)
            return None
        if name.partition(".")[0] not in scope:
            result = built_in(name, values, named)
            if not isinstance(result, Unknown):
                return result
        if isinstance(node.func, ast.Attribute):
            owner = self._value(node.func.value, scope, state)
            if isinstance(owner, (str, list, dict)):
                return method(owner, node.func.attr, values, named)
        function = self._value(node.func, scope, state)
        if isinstance(function, Named) and self._project.is_register(function.name):
            self._register(node, values, named, state)  # it was handed over
            return None
        if isinstance(function, FoldedFunction):
            return function.module.call(function.node, values, named, state)
        return UNKNOWN

    def _passed(
        self, node: ast.Call, scope: Scope, state: FoldingState
    ) -> tuple[list[object], dict[str, object]]:
        values: list[object] = []
        for each in node.args:
            value = self._value(each.value if isinstance(each, ast.Starred) else each, scope, state)
            if isinstance(each, ast.Starred):
                values += value if isinstance(value, (list, tuple, dict)) else []
            else:
                values.append(value)
        named: dict[str, object] = {}
        for keyword in node.keywords:
            value = self._value(keyword.value, scope, state)
            if keyword.arg is not None:
                named[keyword.arg] = value
            elif isinstance(value, dict):
                named |= {str(key): each for key, each in value.items()}
        return values, named

    def _register(
        self, node: ast.Call, values: list[object], named: Mapping[str, object], state: FoldingState
    ) -> None:
        arguments = {**dict(zip((ID, ENTRY_POINT), values, strict=False)), **named}
        identifier, entry = arguments.get(ID), arguments.get(ENTRY_POINT)
        if not isinstance(identifier, str) or not identifier:
            return
        if isinstance(entry, Named):
            name = entry.name
        elif isinstance(entry, FoldedFunction):
            name = entry.module.full_name_of(entry.node)
        else:
            name = entry.replace(":", ".") if isinstance(entry, str) else ""
        passed = arguments.get(KWARGS)
        names = frozenset(map(str, passed)) if isinstance(passed, dict) else frozenset[str]()
        line = state.line if state.by_import else node.lineno
        known = Registration(identifier, line, name, names, state.by_import)
        state.registered.setdefault(identifier, known)

    def full_name_of(self, node: Definition) -> str:
        """The full name of a function at the top."""
        return f"{self._name}.{node.name}"


STATEMENTS: Mapping[type[ast.AST], Callable[..., None]] = {
    ast.AnnAssign: FoldedModule._assign,
    ast.Assign: FoldedModule._assign,
    ast.AsyncFor: FoldedModule._for,
    ast.AsyncFunctionDef: FoldedModule._define,
    ast.AsyncWith: FoldedModule._with,
    ast.AugAssign: FoldedModule._change,
    ast.ClassDef: FoldedModule._class,
    ast.Expr: FoldedModule._expression,
    ast.For: FoldedModule._for,
    ast.FunctionDef: FoldedModule._define,
    ast.If: FoldedModule._if,
    ast.Return: FoldedModule._return,
    ast.Try: FoldedModule._try,
    ast.While: FoldedModule._while,
    ast.With: FoldedModule._with,
}
READERS: Mapping[type[ast.AST], Callable[..., object]] = {
    ast.Attribute: FoldedModule._of_attribute,
    ast.BinOp: FoldedModule._of_binary,
    ast.BoolOp: FoldedModule._of_logic,
    ast.Call: FoldedModule._of_call,
    ast.Compare: FoldedModule._of_comparison,
    ast.Dict: FoldedModule._of_dict,
    ast.DictComp: FoldedModule._of_table,
    ast.FormattedValue: FoldedModule._of_part,
    ast.GeneratorExp: FoldedModule._of_comprehension,
    ast.IfExp: FoldedModule._of_choice,
    ast.JoinedStr: FoldedModule._of_text,
    ast.List: FoldedModule._of_list,
    ast.ListComp: FoldedModule._of_comprehension,
    ast.Name: FoldedModule._of_name,
    ast.Set: FoldedModule._of_list,
    ast.SetComp: FoldedModule._of_comprehension,
    ast.Subscript: FoldedModule._of_item,
    ast.Tuple: FoldedModule._of_list,
    ast.UnaryOp: FoldedModule._of_not,
}
