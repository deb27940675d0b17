"""Entry points that make nothing: functions that can only raise, registered where an environment
has moved to another package.
"""

from __future__ import annotations

import dis
import sys
from types import CodeType
from typing import Any


def is_placeholder(entry_point: Any) -> bool:
    """A function whose first way out is `raise`, with no branch before it.

    Case: Gymnasium keeps Reacher-v2 and sixteen more for gymnasium-robotics, which registers them.
    """
    function = _loaded(entry_point) if isinstance(entry_point, str) else entry_point
    code = getattr(function, "__code__", None)
    return isinstance(code, CodeType) and _only_raises(code)


def _loaded(entry_point: str) -> Any:
    """What it names, where its module is imported already."""
    module, _, name = entry_point.partition(":")
    return getattr(sys.modules.get(module), name, None)


def _only_raises(code: CodeType) -> bool:
    jumps = {*dis.hasjrel, *dis.hasjabs}
    for instruction in dis.get_instructions(code):
        if instruction.opname == "RAISE_VARARGS":
            return True
        if instruction.opcode in jumps or instruction.opname.startswith(("RETURN", "YIELD")):
            return False
    return False
