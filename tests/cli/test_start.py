"""Modules that are imported before our code can handle Ctrl-C."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from envdoctor.cli.main import app
from envdoctor.cli.start import with_command

ROOT = Path(__file__).parents[2]
SLOW = {"contextlib", "pkgutil", "re", "typing"}
TRY = "import sys; sys.path.insert(0, sys.argv[1]); import envdoctor.cli.start; print(*sys.modules)"


def test_the_first_modules_import_nothing_that_takes_long() -> None:
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", TRY, str(ROOT)],
        capture_output=True,
        text=True,
        timeout=600,
        check=True,
    )
    loaded = set(done.stdout.split())
    assert "envdoctor.cli.start" in loaded
    assert loaded & SLOW == set()


def test_command_that_is_asked_for_is_built_alone() -> None:
    every = app.registered_commands
    alone = with_command(app, ["list", "--help"]).registered_commands
    assert [command.name for command in alone] == ["list"]
    assert with_command(app, ["--help"]) is with_command(app, ["lst"]) is app
    assert app.registered_commands is every and len(every) > 10
