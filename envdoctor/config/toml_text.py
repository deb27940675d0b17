"""A plain value as TOML has it, for command lines that a report shows."""

from __future__ import annotations

import json
import re


def toml(value: object) -> str:
    """It in one line. Raises TypeError for what is not made of texts, numbers, lists and tables."""
    if isinstance(value, dict):
        return f"{{{', '.join(f'{_key(key)} = {toml(each)}' for key, each in value.items())}}}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(toml, value))}]"
    # JSON writes texts, truth and whole numbers as TOML does, but not inf and nan.
    return repr(value) if isinstance(value, float) else json.dumps(value, ensure_ascii=False)


def _key(key: str) -> str:
    bare = re.fullmatch(r"[A-Za-z0-9_-]+", key)
    return key if bare else json.dumps(key, ensure_ascii=False)
