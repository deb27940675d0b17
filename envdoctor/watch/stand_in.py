"""The process that a launcher knows, in front of the doctor and its command: it hands on signals,
and ends as the command did. Where it is killed, the doctor sees its pipe close, ends the command,
and still writes the report.
"""

from __future__ import annotations

import os
import select
import signal
import sys
from typing import NoReturn

FORWARDED = (
    signal.SIGINT,
    signal.SIGTERM,
    signal.SIGHUP,
    signal.SIGQUIT,
    signal.SIGUSR1,
    signal.SIGUSR2,
)
HANDLED = {*FORWARDED, signal.SIGTSTP, signal.SIGCONT, signal.SIGCHLD}
BY_KERNEL = 0x80  # si_code of what the terminal sends, to all that are in its group


def stand_in() -> int:
    """Leave this process in front of a doctor: return in a new process, which is to be that doctor,
    with a descriptor that is at its end once the process in front is gone.
    """
    gone, held = os.pipe()
    earlier = signal.pthread_sigmask(signal.SIG_BLOCK, HANDLED)  # what comes meanwhile is kept
    has_terminal = os.isatty(sys.stdin.fileno()) if sys.stdin is not None else False
    doctor = os.fork()
    if doctor:
        os.close(gone)
        _stand_in(doctor, has_terminal)
    os.close(held)
    if not has_terminal:  # who kills a whole group or session leaves the doctor its report
        os.setsid()
    signal.pthread_sigmask(signal.SIG_SETMASK, earlier)
    return gone


def is_gone(descriptor: int) -> bool:
    """Return whether the process in front was killed."""
    return bool(select.select([descriptor], [], [], 0)[0])


def _stand_in(doctor: int, has_terminal: bool) -> NoReturn:
    """Hand on what comes, and end as the doctor does."""
    while True:
        came = signal.sigwaitinfo(HANDLED)
        if came.si_signo == signal.SIGCHLD:
            pid, status = os.waitpid(doctor, os.WNOHANG)
            if pid:
                end_as(os.waitstatus_to_exitcode(status))
            continue
        # The terminal sends to all that are in the group: there the doctor has it already.
        if not (has_terminal and came.si_code == BY_KERNEL):
            os.kill(doctor, came.si_signo)
        if came.si_signo == signal.SIGTSTP:
            os.kill(os.getpid(), signal.SIGSTOP)


def end_as(code: int) -> NoReturn:
    """End this process with an exit code, or by the signal that a negative one says, without a
    second core dump.
    """
    if code < 0:
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
        if -code != signal.SIGKILL:
            signal.signal(-code, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [-code])
        os.kill(os.getpid(), -code)
    os._exit(code if code >= 0 else 128 - code)
