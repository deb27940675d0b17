"""Lines to paste: what they say where names are known, and that there are none where they are not."""

from __future__ import annotations

from typing import Any

import pytest

from envdoctor.rules import cures
from envdoctor.rules.samples import direct_view
from envdoctor.rules.source import single_attribute, use_in

VIEW = direct_view(methods={"reset": {"file": "/sick.py", "line": 7, "function": "Sick.reset"}})


def place(text: str, function: str = "Sick.reset", **more: Any) -> dict[str, Any]:
    return {"file": "/sick.py", "line": 9, "function": function, "text": text, "first": 7, **more}


@pytest.mark.parametrize(
    ("what", "text", "calls"),
    [
        ("descriptor", "self._log = open(path)  # the log", ["self._log.close()"]),
        ("descriptor", "self._log = gzip.open(", ["self._log.close()"]),
        ("descriptor", "self._log = os.open(path, flags)", ["os.close(self._log)"]),
        ("descriptor", "self._map = json.load(open(path))", None),
        ("descriptor", "log = open(path)", None),
        ("descriptor", "with open(path) as self._log:", None),
        ("port", "self._server.bind(address)", ["self._server.close()"]),
        ("port", "self._server = http.server.HTTPServer(address, Handler)", ["self._server.server_close()"]),
        ("thread", "self._pool.submit(work)", ["self._pool.shutdown()"]),
        ("process", "self._sim = subprocess.Popen(", ["self._sim.terminate()", "self._sim.wait(timeout=5.0)"]),
        ("process", "self._sim.start()", ["self._sim.terminate()", "self._sim.join(timeout=5.0)"]),
        ("process", "self._sims = [subprocess.Popen(command)]", None),
        ("zombie", "self._sim = Popen(command)", ["self._sim.wait(timeout=5.0)"]),
        ("file", "self._folder = Path(tempfile.mkdtemp())", ["shutil.rmtree(self._folder, ignore_errors=True)"]),
        ("file", "self._folder = tempfile.TemporaryDirectory()", ["self._folder.cleanup()"]),
        ("file", "self._handle, self._path = tempfile.mkstemp()", None),
    ],
)
def test_release(what: str, text: str, calls: list[str] | None) -> None:
    lines = cures.release(VIEW, what, [place(text)])
    if calls is None:
        assert lines == ()
        return
    assert lines[0] == "# in Sick.close()"
    assert [line.strip() for line in lines[2:-1]] == calls


def test_a_thread_is_told_to_end_first() -> None:
    told = cures.release(VIEW, "thread", [place("self._physics.start()", stop="_stop")])
    assert [line.strip() for line in told[2:]] == ["self._stop.set()", "self._physics.join(timeout=5.0)", "self._physics = None"]
    assert cures.release(VIEW, "thread", [place("self._physics.start()")])[2].strip().startswith("#")


def test_taking_later() -> None:
    lines = cures.take_later(VIEW, [place("self._server = connect(port)", "Sick.__init__"), place("server = connect(port)", "Sick.__init__")])
    assert lines == (
        "self._server = None  # in Sick.__init__()",
        "# in Sick.reset()",
        "if self._server is None:",
        "    self._server = connect(port)",
    )
    assert cures.take_later(VIEW, [place("self._server = connect(", "Sick.__init__")]) == ()
    assert cures.take_later(VIEW, [place("self._server = connect(port)", "Client.__init__")]) == ()


@pytest.mark.parametrize(
    ("function", "first", "header"),
    [
        ("Sick.reset", 7, "# in Sick.close()"),
        ("Client.connect", 30, "# in Client, from what Sick.close() calls"),
        ("reset", 7, "# in Sick.close()"),  # before Python 3.11 a frame does not tell its class
        ("connect", 30, None),
        ("make.<locals>.reset", 30, None),
    ],
)
def test_whose_attribute_it_is(function: str, first: int, header: str | None) -> None:
    lines = cures.release(VIEW, "descriptor", [place("self._log = open(path)", function, first=first)])
    assert (lines[0] if lines else None) == header


def error(text: str, message: str = "not connected", kind: str = "builtins.RuntimeError") -> dict[str, Any]:
    return {"type": kind, "message": message, "frames": [{"file": "/sick.py", "line": 12, "function": "close", "text": text}], "user": 0}


def test_a_guard() -> None:
    assert cures.skip_what_is_gone(VIEW, error("self._client.disconnect()")) == (
        "if self._client is not None:  # in close(), around line 12",
        "    self._client.disconnect()",
        "    self._client = None",
    )
    missing = error("self._game.quit()", "'Sick' object has no attribute '_game'", "builtins.AttributeError")
    assert cures.skip_what_is_gone(VIEW, missing)[0] == "self._game = None  # in Sick.__init__()"
    assert cures.skip_what_is_gone(VIEW, error("del self._game"))[-1] == "    del self._game"


NOT_PLAIN = ("", "sim.stop()", "self._sim.stop(self._reason)", "if self._sim.stop():", "return self._sim.stop()", "self._sim.stop(")


@pytest.mark.parametrize("text", NOT_PLAIN)
def test_no_guard_where_the_line_is_not_plain(text: str) -> None:
    assert cures.skip_what_is_gone(VIEW, error(text)) == ()


def test_going_on() -> None:
    lines = cures.report_and_go_on(error("self._summary = dump(self._rewards)", kind="builtins.TypeError"))
    assert lines[1:3] == ("    self._summary = dump(self._rewards)", "except TypeError as error:")
    assert cures.report_and_go_on(error("self._summary = dump(", kind="sick.Odd")) == ()
    assert "except Exception as error:" in cures.report_and_go_on(error("self._write()", kind="sick.Odd"))
    assert cures.report_and_go_on(None) == ()


@pytest.mark.parametrize(
    ("chain", "lines"),
    [
        ("sick.OPEN['walker']", ("OPEN.pop('walker', None)",)),
        ("clock.LISTENERS.<member>", ("clock.LISTENERS.discard(self)",)),
        ("sick.OPEN[1]", ()),  # a list, or a dict with numbers for keys
        ("<thread 'x'>._target", ()),
    ],
)
def test_leaving_a_container(chain: str, lines: tuple[str, ...]) -> None:
    assert cures.forget_in_container(VIEW, chain) == lines


def test_clearing_a_container() -> None:
    assert cures.clear(VIEW, "sick.HISTORY")[0].startswith("HISTORY.clear()  # in Sick.close()")
    assert cures.clear(VIEW, "held from native code") == ()
    assert cures.clear(VIEW, "sick.HISTORY[3].frames") == ()


def test_reading_a_line() -> None:
    assert use_in("def reset(self):") is None
    assert use_in("self.sim = None") is None
    assert single_attribute("os.close(self._fd)") == "_fd"
    assert single_attribute("x = " * 5000) == ""
