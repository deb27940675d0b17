"""The identity of a finding across days and machines: its code, its place and its key.

No word of its message is in a fingerprint, so that messages may be reworded. Numbers, paths,
endings and addresses are left out of the key.
"""

from __future__ import annotations

import hashlib
import re
from typing import Mapping, Match, Optional, Tuple

#: What names, in the evidence, the thing that a finding is about.
NAMES = (
    "part",
    "name",
    "attribute",
    "generator",
    "setting",
    "class",
    "defect",
    "limit",
    "sensor",
    "rule",
    "path",
    "where",
    "culprit",
)

LONG = 4096  # characters

_STEM = re.compile(r": | \(|;")
_NUMBER = re.compile(r"0x[0-9a-fA-F]+|\d+(?:[.,_]\d+)*")
_PATH = re.compile(r"(?:\[path\]|(?<![\w$~.])[\w$~.]*)(?:/[\w.#$~@+-]+)+/?")
_UNIT = re.compile(r"# (?:bytes?|[KMG]i?B)\b")
#: Words that change with a number.
_NUMBERED = {
    "it": "them",
    "is": "are",
    "was": "were",
    "has": "have",
    "stays": "stay",
    "an": "#",
    "a": "#",
    "one": "#",
}


#: What else names it since fingerprints of version 2.
NAMES_SINCE_2 = ("storage", "scenario")


def fingerprint(
    code: str, subject: str, manager: str, start_method: Optional[str], key: Tuple[str, ...]
) -> str:
    """16 hexadecimal digits (version 2) that are the same in other runs, checkouts and homes."""
    return _digits("2", code, rootless(subject), manager, start_method or "", *key)


def fingerprint_v1(
    code: str,
    subject: str,
    manager: str,
    start_method: Optional[str],
    message: str,
    evidence: Mapping[str, object],
) -> str:
    """Return the fingerprint of version 1, for baselines that were written with it. It has the
    beginning of the message in it, which is empty for counts.
    """
    about = (*_about(evidence, NAMES), _kind(evidence))
    words = stem(message)
    return _digits(code, rootless(subject), manager, start_method or "", words, *about)


def _digits(*parts: str) -> str:
    return hashlib.sha256("\n".join(parts).encode(errors="backslashreplace")).hexdigest()[:16]


def key_of(evidence: Mapping[str, object]) -> Tuple[str, ...]:
    """Return the key of a finding whose rule names none: the things that its evidence names, and
    the kind of its error.
    """
    return (*_about(evidence, NAMES + NAMES_SINCE_2), _kind(evidence))


def _about(evidence: Mapping[str, object], names: Tuple[str, ...]) -> Tuple[str, ...]:
    return tuple(
        normal("%s=%s" % (name, evidence[name]))
        for name in names
        if isinstance(evidence.get(name), str)
    )


def _kind(evidence: Mapping[str, object]) -> str:
    error = evidence.get("error")
    return str(error.get("type", "")) if isinstance(error, Mapping) else ""


def stem(message: str) -> str:
    """A message up to its first value, in normal form."""
    return normal(_STEM.split(message, maxsplit=1)[0])


def normal(text: str) -> str:
    """`close() leaves # descriptor`, whether there are 1 or 3 of them, and `opens /` wherever the
    file is. What is long is an environment's own text, and told apart by its beginning.
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
    """A SPEC without the folder that an absolute path begins with: other checkouts have other
    ones.
    """
    return subject.rsplit("/", 1)[-1] if subject.startswith(("/", "~")) else subject
