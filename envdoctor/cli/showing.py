"""The values that hold here and their origins, as text and as JSON; and the schema of the
configuration.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path

from envdoctor.config.keys import ENVIRONMENTS, KEYS, SPEC, SUBJECT
from envdoctor.config.values import Config
from envdoctor.request.settings import COMMAND_LINE, Settings

NOWHERE = (
    "no configuration: neither envdoctor.toml nor [tool.envdoctor] in a pyproject.toml from here"
    " upwards"
)

Origins = dict[str, tuple[object, str]]  # key: value and where it comes from


def config_schema() -> str:
    """The JSON Schema of the configuration, as text."""
    return files("envdoctor.config").joinpath("config.schema.json").read_text(encoding="utf-8")


def origins(settings: Settings, said: Mapping[str, object]) -> Origins:
    """Every key with its value and where that comes from. `said` are the command line's words
    by key.
    """
    config = settings.config or Config()
    origin_of: Origins = {}
    for key, known in KEYS.items():
        if key in settings.on_command_line:
            value = said[key]
            origin_of[key] = (str(value) if isinstance(value, Path) else value, COMMAND_LINE)
        else:
            origin_of[key] = (config.values.get(key, known.default), config.origin(key))
    return origin_of


def as_text(settings: Settings, values: Origins) -> str:
    """`timeout = 5.0             pyproject.toml:12`, then the tables of environments in the
    order of the file.
    """
    config = settings.config or Config()
    rows = [
        (f"{key} = {json.dumps(value, ensure_ascii=False)}", origin)
        for key, (value, origin) in values.items()
    ]
    for record in config.records:
        rows.append((f'{record.path[0]}."{record.pattern}"', config.origin(*record.path)))
        rows += [
            (f"  {key} = {json.dumps(value, ensure_ascii=False)}", config.origin(*record.path, key))
            for key, value in record.values.items()
        ]
    width = min(max(len(left) for left, _ in rows), 48)
    head = f"from {config.file}" if config.file else NOWHERE
    return (
        "\n".join([head, "", *(_escaped(f"{left:{width}}  {right}") for left, right in rows)])
        + "\n"
    )


def _escaped(text: str) -> str:
    """Values are the user's own; still, none of them acts on the terminal."""
    return "".join(
        character if character.isprintable() else character.encode("unicode_escape").decode()
        for character in text
    )


def as_json(settings: Settings, values: Origins) -> str:
    """Return the values and their origins as JSON."""
    config = settings.config or Config()
    subjects, environments = [], {}
    for record in config.records:
        table = {
            key: {"value": value, "origin": config.origin(*record.path, key)}
            for key, value in record.values.items()
        }
        if record.is_subject:
            spec = {"value": record.pattern, "origin": config.origin(*record.path, SPEC)}
            subjects.append({SPEC: spec, **table})
        else:
            environments[record.pattern] = table
    document = {
        "file": config.file or None,
        "values": {
            key: {"value": value, "origin": origin} for key, (value, origin) in values.items()
        },
        SUBJECT: subjects,
        ENVIRONMENTS: environments,
    }
    return json.dumps(document, indent=2) + "\n"
