"""Layers of a wrapped environment that a close() goes through: from the outermost wrapper on, each
has to call the next one's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Callable, Dict, List, Optional, Set

from envdoctor.probe.journal import Journal
from envdoctor.probe.tracing.watching import tell
from envdoctor.probe.wrappers import innermost, wrappers

if TYPE_CHECKING:
    from types import CodeType


def watch_layers(environment: object, journal: Journal) -> Callable[[], None]:
    """Follow which wrappers' close() runs. Returns a function that ends this, and journals the
    close-layers fact: each wrapper with its class, whether its close() ran, and where that is
    written.
    """
    base = innermost(environment)
    around = list(wrappers(environment))
    layers = {id(layer): _layer(layer) for layer in around}
    called: Set[int] = set()

    stops = [
        tell(kind, "close", lambda layer: called.add(id(layer)), after=False)
        for kind in dict.fromkeys(type(layer) for layer in around)
        if kind is not type(base)
    ]
    inner = _layer(base)

    def stop() -> None:
        for each in stops:
            each()
        facts = [dict(layer, called=address in called) for address, layer in layers.items()]
        journal.write("fact", key="close-layers", value={"layers": facts, "inner": inner})

    return stop


def _layer(layer: object) -> Dict[str, object]:
    """Describe a layer. `inherits`: a class above the one that defines its close() has one,
    too. `idle`: this close() does nothing.
    """
    defined: List[object] = [
        value
        for kind in type(layer).__mro__
        for name, value in vars(kind).items()
        if name == "close"
    ]
    code = getattr(defined[0], "__code__", None) if defined else None
    return {
        "name": type(layer).__name__,
        "inherits": len(defined) > 1,
        "idle": code is None or _is_idle(code),
        "place": _place(code),
    }


def _is_idle(code: CodeType) -> bool:
    """Return whether a function only returns None: it has no name, no constant but a docstring."""
    constants = [each for each in code.co_consts if each is not None and not isinstance(each, str)]
    return not (code.co_names or constants)


def _place(code: Optional[CodeType]) -> Optional[Dict[str, object]]:
    if code is None:
        return None
    function = getattr(code, "co_qualname", code.co_name)
    return {"file": code.co_filename, "line": code.co_firstlineno, "function": function}
