"""Calls without arguments on what an instance holds, which its close() makes and its reset() does
not, as its code says. None of it is run.
"""

from __future__ import annotations

import dis
from types import CodeType
from typing import Iterator, List, Optional, Set

from envdoctor.probe import loaded

SELF, CLOSE, RESET = "self", "close", "reset"
LOADS, ATTRIBUTES, CALL = "LOAD_FAST", ("LOAD_ATTR", "LOAD_METHOD"), "CALL"
BETWEEN = ("CACHE", "PRECALL", "PUSH_NULL", "NOP")
DEPTH = 3  # of methods of its own that reset() calls


def release_calls(kind: type) -> List[str]:
    """The calls, such as "self.renderer.clear()", in their order."""
    of_reset = set(_all_calls(kind, RESET, DEPTH, set()))
    code = _code(kind, CLOSE)
    calls = _calls(code) if code is not None else ()
    candidates = [call for call in dict.fromkeys(calls) if call.count(".") > 1]
    return ["%s()" % call for call in candidates if call not in of_reset]


def _all_calls(kind: type, name: str, depth: int, visited: Set[str]) -> Iterator[str]:
    """The calls of a method, and of those of its own class that it calls."""
    code = _code(kind, name)
    if code is None or name in visited or not depth:
        return
    visited.add(name)
    for call in _calls(code):
        yield call
    for method in code.co_names:
        yield from _all_calls(kind, method, depth - 1, visited)


def _code(kind: type, name: str) -> Optional[CodeType]:
    method = next((loaded.own(each, name) for each in kind.__mro__ if name in vars(each)), None)
    code = getattr(method, "__code__", None)
    return code if isinstance(code, CodeType) else None


def _calls(code: CodeType) -> Iterator[str]:
    """The chains of attributes of self that are called without an argument."""
    chain: List[str] = []
    for instruction in dis.get_instructions(code):
        name, value = instruction.opname, instruction.argval
        if name.startswith(LOADS) and value == SELF:
            chain = [SELF]
        elif chain and name in ATTRIBUTES:
            chain.append(str(value))
        elif chain and name.startswith(CALL):
            yield ".".join(chain)
            chain = []
        elif name not in BETWEEN:
            chain = []
