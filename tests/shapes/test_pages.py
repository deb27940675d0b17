"""The pages of docs/shapes do what they say: their files are written, their commands run, and what
they show is in what these print. `python -m tests.shapes.test_pages PAGE...` writes it anew.
"""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.interpreters import announce, way_to
from tests.support.zoo import COMMAND, PATIENCE

PAGES = Path(__file__).parents[2] / "docs" / "shapes"
CONSOLE = re.compile(r"^```console\n\$ (?P<command>.*)\n(?P<shown>(?:.*\n)*?)```$", re.MULTILINE)
CODE = re.compile(r"^```python\n# (?P<name>\w+\.py)\n(?P<text>.*?)^```$", re.DOTALL | re.MULTILINE)
OPENENV = "ENVDOCTOR_OPENENV_PYTHON"

#: A server of OpenEnv for four sessions, on a port that is free.
SERVER = """
import socket, sys, uvicorn
sys.path[:0] = [sys.argv[1]]
import served
app = served.create_fastapi_app(served.Healthy, served.Say, served.Heard, max_concurrent_envs=4)
listener = socket.create_server(("127.0.0.1", 0))
print(listener.getsockname()[1], flush=True)
uvicorn.Server(uvicorn.Config(app, log_level="error")).run(sockets=[listener])
"""


def pages() -> list[str]:
    """Those that have a command."""
    return [page.name for page in sorted(PAGES.glob("*.md")) if CONSOLE.search(page.read_text())]


def squeezed(text: str) -> str:
    """A text without its line breaks, and without what differs from run to run."""
    text = re.sub(r"Thread-\d+", "Thread-N", re.sub(r"\b\d+(\.\d+)? s\b", "N s", text))
    return " ".join(text.split())


@contextlib.contextmanager
def notes_url(python: str) -> Iterator[str]:
    """The address of a server for the page on clients."""
    envs = Path(__file__).parent / "envs"
    command = [python, "-c", SERVER, str(envs)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            yield f"http://127.0.0.1:{int(server.stdout.readline())}"
        finally:
            server.kill()


def printed(page: str, command: str, folder: Path) -> str:
    """Return the output of a command of a page. Skip where it needs an interpreter that is not
    there.
    """
    text, needed = (PAGES / page).read_text(), os.environ.get(OPENENV)
    if "$OPENENV" in command and needed is None:
        pytest.skip(way_to(OPENENV))
    for code in CODE.finditer(text):
        (folder / code["name"]).write_text(code["text"])
    environment = {
        **os.environ,
        "OPENENV": needed or "",
        "PATH": f"{COMMAND.parent}{os.pathsep}{os.environ['PATH']}",
        "COLUMNS": "80",
    }
    with notes_url(needed) if "NOTES_URL" in text and needed else contextlib.nullcontext("") as url:
        done = subprocess.run(
            command,
            shell=True,
            cwd=folder,
            env={**environment, "NOTES_URL": url},
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
    return done.stdout + done.stderr


def test_most_kinds_have_a_page() -> None:
    assert len(pages()) >= 13


@pytest.mark.everything
@pytest.mark.parametrize("page", pages())
def test_a_page_shows_what_its_command_prints(page: str, tmp_path: Path) -> None:
    found = CONSOLE.search((PAGES / page).read_text())
    assert found is not None
    output = squeezed(printed(page, found["command"], tmp_path))
    shown = [part for part in found["shown"].split("\n\n") if part.strip()]
    assert shown
    for part in shown:
        assert squeezed(part) in output, output


def main(names: list[str]) -> None:
    """Print what the commands of some pages print."""
    announce()
    for name in names or pages():
        found = CONSOLE.search((PAGES / name).read_text())
        assert found is not None
        with tempfile.TemporaryDirectory() as folder:
            print(f"### {name}\n{printed(name, found['command'], Path(folder))}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
