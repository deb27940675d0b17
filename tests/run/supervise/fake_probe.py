"""A probe that knows the protocol and one misbehaviour: the one that the subject is named after."""

from __future__ import annotations

import ctypes
import faulthandler
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

SLEEPER = [sys.executable, "-I", "-S", "-c", "import time; time.sleep(60)"]
STUBBORN = (
    "import signal, time; [signal.signal(n, signal.SIG_IGN) for n in (1, 2, 15)]; print('up',"
    " flush=True); time.sleep(60)"
)


def hang():
    while True:
        time.sleep(1)


def tell_when_asked_for_stacks():
    """A sleep in C that the signal ends."""
    signal.signal(
        int(os.environ["ENVDOCTOR_STACK_SIGNAL"]),
        lambda *_: say({"event": "fact", "key": "late", "value": 1}),
    )
    time.sleep(1000)


def rest():
    time.sleep(1000)


def burn():
    while True:
        pass


def burn_a_second():
    until = time.process_time() + 1.0
    while time.process_time() < until:
        pass


def wait_for_ever():
    threading.Thread(target=threading.Event().wait, daemon=True).start()
    threading.Event().wait()


def wait_for_a_child_that_waits():
    if os.fork() == 0:
        threading.Event().wait()
    os.wait()


def sleep_three():
    time.sleep(3)


def wait_for_a_thread():
    event = threading.Event()
    threading.Timer(3, event.set).start()
    event.wait()


def wait_for_a_child():
    subprocess.run([sys.executable, "-I", "-S", "-c", "import time; time.sleep(3)"], check=True)


def wait_for_a_socket():
    here, there = socket.socketpair()
    timer = threading.Timer(3, there.send, (b".",))
    timer.start()
    here.recv(1)
    timer.join()


def alarmed():
    """Wait for a signal: it is not a thread that wakes it."""
    signal.signal(signal.SIGALRM, lambda *_: None)
    signal.setitimer(signal.ITIMER_REAL, 3)
    signal.pause()


def beat_five_times():
    for _ in range(5):
        time.sleep(0.5)
        say({"event": "beat"})


def fall_silent():
    say({"event": "verb", "state": "ended", "at": 0, "verb": "make", "seconds": 0.0})
    hang()


def hang_in_c():
    sleep = ctypes.PyDLL(None).sleep  # keeps the GIL; a signal ends one sleep, so there are many
    while True:
        sleep(60)


def segfault():
    ctypes.string_at(0)


def exit_three():
    print("last words", file=sys.stderr, flush=True)
    os._exit(3)


def kill_itself():
    os.kill(os.getpid(), signal.SIGKILL)


def kill_guard():
    os.kill(os.getppid(), signal.SIGKILL)
    hang()


def stop_guard():
    os.kill(os.getppid(), signal.SIGSTOP)


def give_up():
    say({"event": "scenario", "state": "failed", "why": "RuntimeError: open() is replaced"})
    os._exit(1)


def lose_everything():
    shutil.rmtree(os.path.dirname(request["journal"]))
    hang()


def annoy_guard():
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1):
        os.kill(os.getppid(), number)


def daemon():
    subprocess.Popen(SLEEPER, start_new_session=True)
    return ["processes"]


def double_fork():
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.execve(SLEEPER[0], SLEEPER, {})  # no mark either: only descent is left
        os._exit(0)
    os.wait()
    return ["processes"]


def double_fork_and_kill_guard():
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.execv(SLEEPER[0], SLEEPER)
        os._exit(0)
    os.wait()
    kill_guard()


def stubborn():
    child = subprocess.Popen([sys.executable, "-c", STUBBORN], stdout=subprocess.PIPE)
    child.stdout.readline()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    hang()


def chatty():
    for _ in range(200):
        print("x" * 50_000, flush=True)
        print("y" * 50_000, file=sys.stderr, flush=True)
    deadline = time.monotonic() + 5.0
    while os.fstat(2).st_size and time.monotonic() < deadline:
        time.sleep(0.005)
    print("last words", file=sys.stderr, flush=True)
    os._exit(1)


def close_all_descriptors():
    os.closerange(0, 100)


def child_eats_memory():
    if os.fork() == 0:
        eat_memory()
    hang()


def eat_memory():
    kept = []
    while True:
        kept.append(b"x" * 20_000_000)
        time.sleep(0.01)


def leave_file():
    with open(os.path.join(tempfile.gettempdir(), "left.txt"), "w") as file:
        file.write("12345")
    os.chmod(tempfile.gettempdir(), 0o500)
    return ["files"]


def leave_memory():
    name = "/dev/shm/envdoctor-test-%d" % os.getpid()
    with open(name, "w") as file:
        file.write("12345")
    say(
        {
            "event": "reading",
            "point": "held",
            "life": 0,
            "sensors": {"shared-memory": {name: "5 bytes"}},
        }
    )
    return ["shared-memory"]


def leave_memory_on_request():
    threading.Thread(
        target=_await_word,
        args=(os.path.join(os.path.dirname(request["journal"]), "now"),),
        daemon=True,
    ).start()


def _await_word(path):
    while not os.path.exists(path):
        time.sleep(0.005)
    leave_memory()


def leave_crash():
    leave_memory()
    kill_itself()


def broken_journal():
    write(b'{"event": "fact", "key": "half')
    say({"event": "fact", "key": "whole", "value": 1})
    write(b"\xff\xfe\n[]\n{}\n" + b"[" * 100_000 + b"\n" + b'{"event": "verb"}\n')
    write(
        b'{"event": "verb", "verb": {}, "state": []}\n{"event": "reading", "life": {}, "point": [],'
        b' "sensors": 3}\n'
    )


def fork_hang():
    if os.fork() == 0:
        hang()
    hang()


def pid():
    say({"event": "fact", "key": "pid", "value": os.getpid()})


def write(data):
    descriptor = os.open(request["journal"], os.O_WRONLY | os.O_APPEND)
    os.write(descriptor, data)
    os.close(descriptor)


def say(event):
    write(json.dumps(dict(event, t=time.monotonic(), pid=os.getpid())).encode() + b"\n")


def play():
    say({"event": "scenario", "state": "began"})
    say({"event": "verb", "state": "began", "at": 0, "verb": "make"})
    dirty = globals()[request["subject"]["name"]]() if request["subject"]["name"] else None
    say({"event": "verb", "state": "ended", "at": 0, "verb": "make", "seconds": 0.0})
    say({"event": "scenario", "state": "ended", "dirty": dirty or []})


stacks = open(os.environ["ENVDOCTOR_STACKS"], "ab")  # noqa: SIM115
faulthandler.enable(stacks)
faulthandler.register(
    int(os.environ["ENVDOCTOR_STACK_SIGNAL"]), stacks, all_threads=True, chain=False
)
with open(int(sys.argv[1])) as requests:
    for line in requests:
        request = json.loads(line)
        play()
