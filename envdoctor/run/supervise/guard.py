"""The guard: a small process between the doctor and one probe, with the standard library only.

It exists because the doctor itself may be killed, and SIGKILL leaves no time to clean up: the guard
sees the doctor's pipe close and ends everything below it; what then still lies about is the
cleanup watchdog's. On Linux it is a subreaper, so that what called setsid and lost its parents is
still its descendant; everywhere the token in ENVDOCTOR_MARK names what belongs to the probe.

    words_of(guard.py) COMMAND REPORT REQUEST MARK ORPHAN PROGRAM ARGUMENT...

COMMAND: the pipe on which a byte means "end everything"; its end of file without one means that the
doctor was killed. Then it is written down in ORPHAN, the folder of the run, which shared memory the
processes below hold. REPORT: the pipe for the lines `began PID`, `failed WHY` and `ended STATUS`.
REQUEST: the probe's own pipe, which it inherits under the same number. PROGRAM may be `--adopt PID`
in place of a program: the probe is there, a child of this process before it became a guard.

Imports are late and few: the probe is forked first, and starts while the guard still imports what
it needs.
"""

from __future__ import annotations

import os
import sys
import time

TYPE_CHECKING = False  # the module `typing` would double the guard's start-up
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

ADOPT = "--adopt"  # model/template_request.py, which the guard does not import
HELD = "held"  # the file in the folder of a run that names the shared memory that was held
# Longest time spent on ending everything; what hangs in the kernel (state D) cannot be waited for.
KILL_SECONDS = 5.0
KILL_PAUSE = 0.003  # seconds between two rounds of killing
SIGKILL, SIGSTOP = 9, 19
FREEZING = 100  # rounds: what forks while it is stopped has a child that the round did not see
OOM_SCORE = 500  # of 1000: half of the memory counts as taken already
NOBODY = -1  # a process id that no process has
PR_SET_CHILD_SUBREAPER = 36  # model/template_request.py, too
HAS_PROC = os.path.exists("/proc/self/stat")
CHUNK = 1 << 16  # bytes
MARK = b"ENVDOCTOR_MARK="
RUN = (
    "import sys; sys.path.append(sys.argv[1]); from %s import main; sys.path.pop();"
    " main(sys.argv[1:])"
)

#: Processes that no probe started, as their variables say, and when each was started. Those change
#: by exec alone, and what was started without a mark has none to hand on.
_strangers: dict[int, bytes] = {}


WRITING_MS = 2000  # milliseconds that the doctor has to write what the probe runs


def words_of(file: str) -> tuple[str, ...]:
    """The words that start a file of this folder with the standard library alone. It is imported:
    Python compiles what it runs as a program each time, as long as it needs for its own start.
    """
    folder, name = os.path.split(file)
    return (sys.executable, "-I", "-S", "-B", "-c", RUN % os.path.splitext(name)[0], folder)


def main(argv: list[str]) -> None:
    """Start the probe, stay until the doctor is done with it, then end everything below."""
    command, report, request = (int(word) for word in argv[1:4])
    mark, orphan, program = argv[4], argv[5], argv[6:]
    is_reported = True
    os.set_inheritable(command, False)
    os.set_inheritable(report, False)
    probe = int(program[1]) if program[0] == ADOPT else launch(program, report)
    try:
        os.close(request)  # else the doctor's write to a dead probe would succeed
        say(report, "began %d" % probe)
        is_reported = stay(command, report, probe)
    finally:
        if not is_reported:
            freeze(os.getpid(), probe, mark)
            testify(orphan, below(os.getpid(), probe, mark))
        end_all(os.getpid(), probe, mark, lambda: reap(probe, report))


def launch(program: list[str], report: int) -> int:
    """Start the probe in a session of its own; its process id. A failure to start is said in
    the report.
    """
    gate, opening = os.pipe()
    pid = os.fork()
    if pid:
        os.close(gate)
        adopt_orphans()
        os.close(opening)
        return pid
    try:
        os.close(opening)
        os.setsid()
        offer_to_the_killer()
        wait_for(program[1])
        os.read(gate, 1)  # what loses its parents before the guard adopts it is lost
        os.execv(program[0], program)  # noqa: S606
    except OSError as error:
        say(report, "failed %s" % error.strerror)
    finally:
        os._exit(127)


def offer_to_the_killer() -> None:
    """Let the kernel, when it runs out of memory, kill the examined processes before anything else
    the user has running; Linux only.
    """
    try:
        with open("/proc/self/oom_score_adj", "r+") as file:
            if int(file.read()) < OOM_SCORE:
                file.seek(0)
                file.write(str(OOM_SCORE))
    except (OSError, ValueError):
        pass


def wait_for(path: str) -> None:
    """Until a file is there, which the doctor may still be writing. Python will say so if it
    never comes.
    """
    import time

    for _ in range(WRITING_MS):
        if os.path.exists(path):
            return
        time.sleep(0.001)


def say(report: int, line: str) -> None:
    """Tell the doctor, who may be dead."""
    try:  # noqa: SIM105  contextlib would cost the guard an import
        os.write(report, line.encode() + b"\n")
    except OSError:
        pass


def adopt_orphans() -> None:
    """Become the parent of descendants whose own parent ends; Linux only."""
    if sys.platform != "linux":
        return
    try:
        import ctypes

        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    except (ImportError, OSError, AttributeError):
        pass  # the mark still finds them


def stay(command: int, report: int, probe: int) -> bool:
    """Reap what dies, until the doctor speaks (True) or is gone (False)."""
    # The module `signal` is this one with names for its numbers, which would double the start-up.
    import _signal as signal  # type: ignore[import-not-found, unused-ignore]
    import select

    # An environment that signals its parent must not take the guard down; the terminal cannot reach
    # it (own session).
    for number in (
        signal.SIGINT,
        signal.SIGTERM,
        signal.SIGHUP,
        signal.SIGQUIT,
        signal.SIGUSR1,
        signal.SIGUSR2,
        signal.SIGALRM,
    ):
        signal.signal(number, signal.SIG_IGN)
    wake, bell = os.pipe()
    os.set_blocking(bell, False)
    signal.set_wakeup_fd(bell, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    while True:
        reap(probe, report)
        ready = select.select([command, wake], [], [])[0]
        if command in ready:
            return os.read(command, 1) != b""
        os.read(wake, 4096)


def freeze(root: int, session: int, mark: str) -> set[int]:
    """Stop everything that belongs to a probe, and say what that is: what it makes between the look
    at what it holds and its end would stay. A process that waits for a core stops only when it has
    one, and ends its system call first.
    """
    stopped: set[int] = set()
    for _ in range(FREEZING):
        pids = set(below(root, session, mark)) - stopped
        if not pids and not any(map(goes_on, stopped)):
            break
        for pid in pids:
            kill(pid, SIGSTOP)
        stopped |= pids
    return stopped


def goes_on(pid: int) -> bool:
    """Return True where a process that was stopped has not noticed yet; Linux only."""
    text = read("/proc/%d/stat" % pid)
    return bool(text) and text[text.rindex(b")") + 2 :][:1] not in b"TtZXx"


def testify(folder: str, pids: list[int]) -> None:
    """Write down which shared memory processes hold that are about to be ended: this is not known
    afterwards.
    """
    try:
        sys.path.insert(
            0, os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", ".."))
        )
        from envdoctor.run.supervise._linux import shared_memory_of

        write_held(folder, shared_memory_of(pids))
    except (ImportError, OSError, AttributeError):
        pass  # they have to be ended, also where nothing is known about them


def write_held(folder: str, names: Iterable[str]) -> None:
    """Let the cleanup watchdog know which shared memory was held. Raises OSError."""
    with open(os.path.join(folder, HELD), "a") as file:
        file.writelines(name + "\n" for name in names)


def remove(folder: str) -> None:
    """Remove a folder that nothing else removes, in any state that an environment left: without
    permissions, or deeper than Python's stack and longer than any path may be.
    """
    import shutil

    for prepare in (lambda _: None, unlock, flatten):
        try:
            prepare(folder)
            shutil.rmtree(folder, ignore_errors=True)
        except (RecursionError, OSError):
            continue
        if not os.path.exists(folder):
            return


def unlock(folder: str) -> None:
    """Give the owner all permissions on every folder below, and on it."""
    waiting = [folder]
    while waiting:
        folder = waiting.pop()
        try:
            os.chmod(folder, 0o700)
            waiting += folders_in(folder)
        except OSError:
            continue


def flatten(folder: str) -> None:
    """Bring every folder below up to the first level."""
    number, waiting = 0, folders_in(folder)
    while waiting:
        for inner in folders_in(waiting.pop()):
            number += 1
            flat = os.path.join(folder, "flat-%d" % number)
            os.rename(inner, flat)
            waiting.append(flat)


def folders_in(folder: str) -> list[str]:
    """The folders right in a folder, without those that a link leads to."""
    with os.scandir(folder) as entries:
        return [entry.path for entry in entries if entry.is_dir(follow_symlinks=False)]


def reap(probe: int, report: int) -> None:
    """Collect every dead child, adopted ones too, and report the probe's end."""
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if pid == 0:
            return
        if pid == probe:
            say(report, "ended %d" % status)


def end_all(root: int, session: int, mark: str, between: Callable[[], None] = lambda: None) -> bool:
    """Kill everything that belongs to a probe until nothing is left; False if something was after
    KILL_SECONDS.

    In rounds, because what forks while it is killed has a child that the round before did not see.
    `between` is called after each round.
    """
    deadline = time.monotonic() + KILL_SECONDS
    while True:
        pids = below(root, session, mark)
        if not pids:
            return True
        if time.monotonic() > deadline:
            return False
        for pid in pids:
            kill(pid, SIGKILL)
        time.sleep(KILL_PAUSE)
        between()


def kill(pid: int, number: int) -> None:
    """Send a signal to a process that may have gone, or may not be ours to signal."""
    try:  # noqa: SIM105
        os.kill(pid, number)
    except OSError:
        pass


def below(root: int, session: int, mark: str = "") -> list[int]:
    """The processes that belong to a probe, without `root` itself.

    They are members of `session`, carriers of `mark` (an empty one is not looked for), and the
    descendants of these and of `root`, zombies too.
    """
    rows = processes()
    known = {pid for pid, _, leader, zombie, _ in rows if leader == session and not zombie}
    known |= marked(mark, rows) if mark else set()
    known.add(root)
    grown = True
    while grown:
        result = {pid for pid, parent, _, _, _ in rows if parent in known and pid not in known}
        known |= result
        grown = bool(result)
    return sorted(known - {root})


def processes() -> list[tuple[int, int, int, bool, bytes]]:
    """Every process of the machine: (pid, parent, session, is a zombie, start)."""
    if not HAS_PROC:
        rows = _ask_ps("-ax", "-o", "pid=,ppid=,pgid=,stat=")
        return [
            (int(row[0]), int(row[1]), int(row[2]), row[3].startswith("Z"), b"") for row in rows
        ]
    result = []
    for name in os.listdir("/proc"):
        text = read("/proc/%s/stat" % name) if name.isdigit() else b""
        if text:
            # A program's name is in parentheses and may itself hold spaces and parentheses.
            row = text[text.rindex(b")") + 2 :].split(None, 20)
            result.append((int(name), int(row[1]), int(row[3]), row[0] in b"ZX", row[19]))
    return result


def marked(mark: str, rows: list[tuple[int, int, int, bool, bytes]]) -> set[int]:
    """The processes that were started with ENVDOCTOR_MARK=`mark` and that we may look into."""
    token, result = MARK + mark.encode(), set()
    if not HAS_PROC:
        words = token.decode()
        return {int(row[0]) for row in _ask_ps("-axE", "-o", "pid=,command=") if words in row}
    for pid, _, _, is_zombie, start in rows:
        if is_zombie or _strangers.get(pid) == start:
            continue
        variables = read("/proc/%d/environ" % pid)
        if token in variables:
            result.add(pid)
        elif variables and MARK not in variables:
            _strangers[pid] = start
    return result


def named_in(folder: str) -> set[int]:
    """The processes in whose environment the name of a folder stands: all that a run started
    whose TMPDIR is below it.
    """
    rows, name = processes(), os.fsencode(folder)
    if not HAS_PROC:
        return {
            int(row[0])
            for row in _ask_ps("-axE", "-o", "pid=,command=")
            if any(folder in word for word in row[1:])
        }
    return {row[0] for row in rows if not row[3] and name in read("/proc/%d/environ" % row[0])}


def read(path: str) -> bytes:
    """The content of a file of /proc; nothing where it is gone, or not ours to read. It has to be
    of one record, which comes as a whole: of many, as in `maps`, a page comes at a time.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY)
    except OSError:
        return b""
    try:
        content = part = os.read(descriptor, CHUNK)
        while len(part) == CHUNK:
            content += (part := os.read(descriptor, CHUNK))
        return content
    except OSError:
        return b""
    finally:
        os.close(descriptor)


def _ask_ps(*options: str) -> list[list[str]]:
    import subprocess

    with subprocess.Popen(
        ["ps", *options], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as ps:
        lines = (line.decode(errors="replace").split() for line in ps.stdout or ())
        return [words for words in lines if words and words[0] != str(ps.pid)]
