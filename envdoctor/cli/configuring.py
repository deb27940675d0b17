"""The configuration and the baseline of a command, read from their files."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from envdoctor.cli.files import read_text
from envdoctor.errors import UsageError
from envdoctor.request.settings import Settings, shown

if TYPE_CHECKING:
    import typer

    from envdoctor.config.values import Config
    from envdoctor.verdict.baseline import BaselineEntry

#: Parameters whose key has another name.
KEYS = {"imports": "import", "kwarg": "kwargs"}


def settings(context: typer.Context, file: Path | None = None, without: bool = False) -> Settings:
    """The settings of a command. Raises UsageError for a configuration that says what it cannot."""
    named = {
        name
        for name in context.params
        if getattr(context.get_parameter_source(name), "name", "DEFAULT") != "DEFAULT"
    }
    keys = frozenset(KEYS.get(name, name.replace("_", "-")) for name in named)
    if file is not None and without:
        raise UsageError("--config and --no-config do not go together")
    path, config = (None, None) if without else _named(file) if file else _nearest(Path.cwd())
    return Settings(config, keys, str(path.absolute().parent) if path else os.getcwd())


def _named(path: Path) -> tuple[Path, Config]:
    config = _parsed(path, _text_of(path))
    if config is None:
        raise UsageError(f"--config {path}: it has no table [tool.envdoctor]")
    return path, config


def _nearest(directory: Path) -> tuple[Path | None, Config | None]:
    """The first file from here upwards that has something for us. Most runs have none, and
    nothing is imported for them.
    """
    for folder in (directory, *directory.parents):
        for name in ("envdoctor.toml", "pyproject.toml"):
            path = folder / name
            if not path.is_file():
                continue
            text = _text_of(path)
            if name == "envdoctor.toml" or "envdoctor" in text:
                config = _parsed(path, text)
                if config is not None:
                    return path, config
    return None, None


def _parsed(path: Path, text: str) -> Config | None:
    from envdoctor.config.reading import parse as parse_config

    return parse_config(text, str(shown(path)))


def _text_of(path: Path) -> str:
    try:
        return read_text(path)
    except OSError as error:
        raise UsageError(f"{path}: {(error.strerror or 'it cannot be read').lower()}") from error
    except ValueError as error:
        raise UsageError(f"{path} is not text in UTF-8") from error


def read_baseline(path: Path | None) -> tuple[BaselineEntry, ...] | None:
    """The entries of a baseline, None where none is named. Raises UsageError."""
    if path is None:
        return None
    if not path.exists():
        raise UsageError(
            f"baseline {path} not found; `envdoctor baseline SPEC --output {path}` writes one"
        )
    from envdoctor.verdict.baseline import parse as parse_baseline

    return parse_baseline(_text_of(path), str(path))
