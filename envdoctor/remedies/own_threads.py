"""Edits with which one thread of its own makes all calls of an instance."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from envdoctor.model.environment_aims import OneThread
from envdoctor.model.remedy import BEFORE, MEMBER, TOP, Edit
from envdoctor.remedies.applying import start_of
from envdoctor.remedies.needing import bound_names, needed
from envdoctor.remedies.source import Candidate, OwningClass, Source, own_attribute, replaced

CALLS = ("reset", "step", "render", "close")
CONNECT, SAME_THREAD = "sqlite3.connect", "check_same_thread"
DECORATOR, ATTRIBUTE, POOLS = "in_own_thread", "_own_thread", "concurrent.futures"

FUNCTION = f'''\
def {DECORATOR}(method):
    """Have the one thread of an instance make a call; that ends with close()."""

    @functools.wraps(method)
    def call(self, *args, **kwargs):
        if self.{ATTRIBUTE} is None:
            self.{ATTRIBUTE} = {POOLS}.ThreadPoolExecutor(max_workers=1)
        try:
            return self.{ATTRIBUTE}.submit(method, self, *args, **kwargs).result()
        finally:
            if method.__name__ == "close":
                self.{ATTRIBUTE}.shutdown()
                self.{ATTRIBUTE} = None

    return call

'''


def one_thread(_aim: OneThread, source: Source) -> Iterator[Candidate]:
    """Edits of a class that defines reset(): a thread makes its calls, and waits for none of them.
    None where one of these calls another, which would wait for itself.
    """
    yield _for_all_threads(source)
    for owner in source.chain[:1]:
        file, methods = owner.file, [owner.methods[name] for name in CALLS if name in owner.methods]
        are_plain = all(isinstance(each, ast.FunctionDef) for each in methods)
        is_free = not any(name in file.text for name in (DECORATOR, ATTRIBUTE))
        if "reset" not in owner.methods or not (are_plain and is_free) or _calls_itself(owner):
            continue
        lines = tuple(FUNCTION.split("\n"))
        imported = POOLS.partition(".")[0] in bound_names(file)
        yield (
            *(() if imported else (Edit(file.path, TOP, (f"import {POOLS}",)),)),
            *needed(file, lines),
            Edit(file.path, BEFORE, lines, line=start_of(owner.node)),
            *(Edit(file.path, BEFORE, (f"@{DECORATOR}",), line=start_of(each)) for each in methods),
            *(() if "close" in owner.methods else (_close(owner),)),
            Edit(file.path, MEMBER, (f"{ATTRIBUTE} = None",), owner.name),
        )


def _for_all_threads(source: Source) -> Candidate:
    """`sqlite3.connect(path, check_same_thread=False)` for the connections of an environment, whose
    calls come one after the other, from whichever thread.
    """
    edits: list[Edit] = []
    for file in {owner.file.path: owner.file for owner in source.chain}.values():
        made = [
            node
            for node in ast.walk(file.tree)
            if isinstance(node, ast.Call) and file.full_name(node.func) == CONNECT
            if not any(each.arg in (SAME_THREAD, None) for each in node.keywords)
        ]
        texts = [file.text_of(node)[:-1].rstrip().rstrip(",") for node in made]
        option = f"{SAME_THREAD}=False)"
        edits += replaced(
            file,
            [
                (node, f"{text}{'' if text.endswith('(') else ', '}{option}")
                for node, text in zip(made, texts, strict=True)
            ],
        )
    return tuple(edits)


def _calls_itself(owner: OwningClass) -> bool:
    """Return True if a method of the class makes one of the calls of its own instance."""
    return any(
        isinstance(node, ast.Call) and own_attribute(node.func) in CALLS
        for node in ast.walk(owner.node)
    )


def _close(owner: OwningClass) -> Edit:
    """A close() that ends the thread, for a class that has none."""
    inherits = any(ast.unparse(base) != "object" for base in owner.node.bases)
    body = "super().close()" if inherits else '"""Nothing else is open."""'
    lines = (f"@{DECORATOR}", "def close(self):", f"    {body}")
    return Edit(owner.file.path, MEMBER, lines, owner.name)
