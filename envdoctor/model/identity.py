"""What makes a finding the same one on another day and another machine, and how much of it there is.

Where a finding is counted, its count tells when it is worse, and no word of its message makes it another one. Elsewhere the
message does, up to where it tells of values: numbers, paths, endings and addresses are left out.
"""

from __future__ import annotations

import hashlib
import re
from typing import Any, Dict, Mapping, Match, Optional, Tuple

#: What names, in the evidence, the thing that a finding is about.
NAMES = ("part", "name", "attribute", "generator", "setting", "class", "defect", "limit", "sensor", "rule", "path", "where", "culprit")

#: What rules count, by their code: the noun of the measure, and where in the evidence it stands (the first that is there).
COUNTED = {
    "CLS006": ("descriptors left", ("held", "collected")),
    "CLS007": ("threads left", ("held", "collected")),
    "CLS008": ("processes left", ("held", "collected")),
    "CLS009": ("ports left", ("held", "collected")),
    "CLS010": ("temporary files left", ("held", "collected")),
    "CLS011": ("shared-memory segments left", ("held", "collected")),
    "CLS012": ("instances alive", ("survivors",)),
    "CLS015": ("instances never closed", ("never_closed",)),
    "CLS019": ("windows left", ("held", "collected")),
    "PRC001": ("processes left", ("processes",)),
    "PRC002": ("zombies left", ("zombies",)),
    "RUS001": ("instances made by resets", ("made_in_reset", "resets")),
    "RUS002": ("instances never closed", ("never_closed",)),
}

#: What grows, by the code of the rule that says so.
GROWING = {
    "LEK001": "python objects",
    "LEK002": "python bytes",
    "LEK003": "native bytes",
    "LEK004": "mapped bytes",
    "LEK005": "descriptors",
    "LEK006": "threads",
    "LEK007": "processes",
    "LEK008": "temporary files",
    "LEK009": "shared-memory segments",
}
WHOLE = ("cycle", "create", "reset", "step", "render", "launch")  # operations of a cycle; others count resets of an open manager

LONG = 4096  # characters

_STEM = re.compile(r": | \(|;")
_NUMBER = re.compile(r"0x[0-9a-fA-F]+|\d+(?:[.,_]\d+)*")
_PATH = re.compile(r"(?:\[path\]|(?<![\w$~.])[\w$~.]*)(?:/[\w.#$~@+-]+)+/?")
_UNIT = re.compile(r"# (?:bytes?|[KMG]i?B)\b")
#: Words that change with a number.
_NUMBERED = {"it": "them", "is": "are", "was": "were", "has": "have", "stays": "stay", "an": "#", "a": "#", "one": "#"}


def fingerprint(code: str, subject: str, manager: str, start_method: Optional[str], message: str, evidence: Mapping[str, Any]) -> str:
    """16 hexadecimal digits that are the same in other runs, checkouts and homes, whatever the numbers in the message."""
    words = "" if measured(code, evidence) else stem(message)
    about = tuple("%s=%s" % (name, evidence[name]) for name in NAMES if isinstance(evidence.get(name), str))
    error = evidence.get("error")
    kind = str(error.get("type", "")) if isinstance(error, Mapping) else ""
    parts = (code, rootless(subject), manager, start_method or "", words, *(normal(text) for text in about), kind)
    return hashlib.sha256("\n".join(parts).encode(errors="backslashreplace")).hexdigest()[:16]


def stem(message: str) -> str:
    """A message up to its first value, in normal form."""
    return normal(_STEM.split(message, maxsplit=1)[0])


def normal(text: str) -> str:
    """`close() leaves # descriptor`, whether there are 1 or 3 of them, and `opens /` wherever the file is. What is long is an
    environment's own text, and told apart by its beginning.
    """
    text = text[:LONG]
    text = _UNIT.sub("# bytes", _NUMBER.sub("#", _PATH.sub("/", text)))
    return " ".join(re.sub(r"[A-Za-z]+", _without_number, text).split())


def _without_number(match: Match[str]) -> str:
    word = _NUMBERED.get(match[0], match[0])
    if word.endswith("sses"):
        return word[:-2]
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


def rootless(subject: str) -> str:
    """A SPEC without the folder that an absolute path begins with: other checkouts have other ones."""
    return subject.rsplit("/", 1)[-1] if subject.startswith(("/", "~")) else subject


def measured(code: str, evidence: Mapping[str, Any]) -> Dict[str, float]:
    """How much of it there is: {"descriptors left": 2}. Empty where nothing is counted."""
    if code in COUNTED:
        noun, keys = COUNTED[code]
        found = next((evidence[key] for key in keys if evidence.get(key)), None)
        number = _length(found) if _number(found) is None else _number(found)
        return {} if number is None else {noun: number}
    if code in GROWING:
        return _growth(GROWING[code], evidence)
    return {name: number for name, number in _others(code, evidence) if number is not None}


def _growth(noun: str, evidence: Mapping[str, Any]) -> Dict[str, float]:
    rate, operations = _number(evidence.get("per_cycle")), list(evidence.get("per_operation") or ())
    every = "cycle" if not operations or operations[0] in WHOLE else str(operations[0])
    return {} if rate is None else {"%s per %s" % (noun, every): rate}


def _others(code: str, evidence: Mapping[str, Any]) -> Tuple[Tuple[str, Optional[float]], ...]:
    if code in ("CLS005", "MAK003"):
        seconds = evidence.get("seconds")
        most = max(seconds, default=None) if isinstance(seconds, (list, tuple)) else seconds
        return (("seconds", _number(most)),)
    if code == "CLS013":
        return (("bytes kept", _number(evidence.get("bytes"))), ("handles kept", _length(evidence.get("handles"))))
    if code == "MAK002" and isinstance(evidence.get("taken"), Mapping):
        return tuple(("%s taken" % kind, _length(things)) for kind, things in sorted(evidence["taken"].items()))
    if code == "LEK011" and isinstance(evidence.get("per_cycle"), Mapping):
        kept = {meter: number for meter, number in evidence["per_cycle"].items() if meter in ("heap", "descriptors", "threads", "processes")}
        return tuple(("%s waiting per cycle" % {"heap": "bytes"}.get(meter, meter), _number(number)) for meter, number in sorted(kept.items()))
    if code == "VEC007" and evidence.get("workers"):
        return (("bytes of a worker", max(_number(cost["uss"]) or 0.0 for cost in evidence["workers"])),)
    return ()


def _number(value: Any) -> Optional[float]:
    return value if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def _length(value: Any) -> Optional[float]:
    return len(value) if isinstance(value, (dict, list, tuple)) else None
