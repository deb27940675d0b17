"""Trainings in which workers end, or fail, and which end in ways that have another cause."""

from __future__ import annotations

import asyncio
import atexit
import ctypes
import io
import json
import multiprocessing
import os
import pickle
import queue
import select
import signal
import socket
import subprocess
import sys
import threading

import gymnasium

FORK = multiprocessing.get_context("fork")


class Arm(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(0.0, 1.0, (2,))
    action_space = gymnasium.spaces.Discrete(2)

    def __init__(self, fails_after=0):
        self.fails_after = fails_after

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.steps = 0
        return self.observation_space.sample(), {}

    def step(self, action):
        self.steps += 1
        if self.steps == self.fails_after:
            raise ValueError("lost")
        return self.observation_space.sample(), 0.0, False, False, {}


def work(remote, fails_after):
    env = Arm(fails_after)
    while True:
        order = remote.recv()
        try:
            if order == "close":
                env.close()
                return
            remote.send(env.reset() if order == "reset" else env.step(0))
        except ValueError:
            remote.send(None)


class Vectorizer:
    def __init__(self, fails_after=0):
        self.remotes, self.workers = [], []
        for _ in range(2):
            ours, theirs = FORK.Pipe()
            worker = FORK.Process(target=work, args=(theirs, fails_after), daemon=True)
            worker.start()
            theirs.close()
            self.remotes.append(ours)
            self.workers.append(worker)

    def ask(self, order):
        for remote in self.remotes:
            remote.send(order)
        return [remote.recv() for remote in self.remotes]

    def close(self):
        for remote in self.remotes:
            remote.send("close")
        for worker in self.workers:
            worker.join()

    def terminate(self):
        for worker in self.workers:
            worker.terminate()
            worker.join()


def play(envs, steps=20):
    envs.ask("reset")
    return all(None not in envs.ask("step") for _ in range(steps))


def another_vectorizer():
    """Gives up the one whose instances raise, and trains with another one; then a bug of its own."""
    envs = Vectorizer(fails_after=10)
    assert not play(envs)
    envs.terminate()
    envs = Vectorizer()
    play(envs)
    envs.close()
    raise KeyError("loss")


def truncated_file():
    """Its workers are closed; what it reads then is cut off."""
    envs = Vectorizer()
    play(envs)
    envs.close()
    pickle.load(io.BytesIO(pickle.dumps([1] * 100)[:0]))


def take(orders):
    env = Arm()
    env.reset()
    while True:
        env.step(orders.get(timeout=0.2))


def no_more_orders():
    """Its worker ends when no orders come any more, as it means to: by what get() raises."""
    orders = FORK.Queue()
    worker = FORK.Process(target=take, args=(orders,), daemon=True)
    worker.start()
    for _ in range(20):
        orders.put(0)
    worker.join()
    raise KeyError("loss")


def other_pipe():
    """A pipe to a helper that plays nothing is closed; the workers are asked no more."""
    envs = Vectorizer()
    play(envs)
    ours, theirs = FORK.Pipe()
    theirs.close()
    ours.recv()


def recovers():
    """An instance that raised is reset, and the training goes on; a bug of its own comes later."""
    envs = Vectorizer(fails_after=10)
    assert not play(envs)
    play(envs, 5)
    raise KeyError("loss")


def late_cleanup():
    """Its workers fail in what they do after the trainer has ended."""
    envs = Vectorizer()
    play(envs)
    raise queue.Empty


class Slow(Arm):
    """Its close(), or its first step(), says that it began, and waits for what does not come."""

    def __init__(self, remote, waits_in):
        super().__init__()
        self.remote, self.waits_in = remote, waits_in

    def _wait(self, call):
        if call == self.waits_in:
            self.remote.send(call)
            threading.Event().wait()

    def step(self, action):
        self._wait("step")
        return super().step(action)

    def close(self):
        self._wait("close")


def play_slow(remote, waits_in):
    env = Slow(remote, waits_in)
    env.reset()
    env.step(0)
    if waits_in:
        env.close()
    remote.send("done")
    remote.recv()


def start_slow(waits_in):
    ours, theirs = FORK.Pipe()
    worker = FORK.Process(target=play_slow, args=(theirs, waits_in))
    worker.start()
    theirs.close()
    ours.recv()
    return worker, ours


def terminate_in_close():
    """Ends its worker while that closes its instance."""
    worker, _ = start_slow("close")
    worker.terminate()
    worker.join()


def kill_in_step():
    """Kills a worker whose step() takes too long for it."""
    worker, _ = start_slow("step")
    worker.kill()
    worker.join()


def terminate_what_crashed():
    """Ends a worker that a signal has killed already, as a clean-up of all of them does."""
    worker, _ = start_slow("step")
    os.kill(worker.pid, signal.SIGSEGV)
    os.waitid(os.P_PID, worker.pid, os.WEXITED | os.WNOWAIT)
    worker.terminate()
    worker.join()


def crash_unseen():
    """Loses a worker, and ends, while what watches it is stopped."""
    watching, ours = os.getppid(), f"/proc/{os.getpid()}/stat"
    go_on = f"until grep -q ') Z' {ours}; do sleep 0.1; done; kill -CONT {watching}"
    subprocess.Popen(["sh", "-c", go_on])
    os.kill(watching, signal.SIGSTOP)
    terminate_what_crashed()


def press_ctrl_c():
    """Interrupt what watches this in a while."""
    subprocess.Popen(["sh", "-c", f"sleep 9; kill -INT {os.getppid()}"])


def wait_for_signal():
    """Wait, once it is done, until it is asked to end, and close its workers then."""
    envs = Vectorizer()
    play(envs)
    asked = threading.Event()
    signal.signal(signal.SIGINT, lambda *_: asked.set())
    press_ctrl_c()
    asked.wait()
    envs.close()


def serve(parent, other_end):
    other_end.close()
    server = socket.create_server(("127.0.0.1", 0))
    select.select([server, parent], [], [])


def leave_service():
    """Serve, once it is done, what it has trained until Ctrl-C: Python waits for that process."""
    envs = Vectorizer()
    play(envs)
    envs.close()
    ours, theirs = FORK.Pipe()
    FORK.Process(target=serve, args=(theirs, ours)).start()
    theirs.close()
    globals()["kept"] = ours  # the service ends when the trainer does
    press_ctrl_c()


def record(env):
    """A recorder that closes what it recorded."""
    env.close()


def used_after_close():
    env = Arm(fails_after=2)
    env.reset()
    env.step(0)
    record(env)
    env.step(0)


class Unready(Arm):
    def close(self):
        self.controller.stop()


def close_that_raises():
    env = Unready()
    env.reset()
    env.step(0)
    env.close()


def reset_after_close():
    env = Arm(fails_after=2)
    env.reset()
    record(env)
    env.reset()
    env.step(0)
    env.step(0)


class Finalized:
    def __del__(self):
        raise RuntimeError(f"{self} is half made")


def lose(number):
    for _ in range(number):
        Finalized()


def ignored():
    """Exceptions that nothing can catch: of finalizers, and at the exit, also of a worker."""
    heard = []
    sys.unraisablehook = lambda report, before=sys.unraisablehook: (
        heard.append(report.exc_type),
        before(report),
    )
    play(Vectorizer())
    worker = FORK.Process(target=lose, args=(5,))
    worker.start()
    worker.join()
    lose(40)
    assert len(heard) == 40  # what the training listens to itself is heard as before
    atexit.register(fail)
    atexit.register(lambda: json.loads("{"))


def fail():
    raise OSError("it is gone")


async def close_late():
    raise RuntimeError("Event loop is closed")


async def leave_tasks(number):
    """Tasks whose result is not retrieved, and others that are awaited, or still wait."""
    tasks = [asyncio.create_task(close_late()) for _ in range(number)]
    waiting = asyncio.create_task(asyncio.sleep(60))
    await asyncio.sleep(0)
    await asyncio.gather(tasks.pop(), return_exceptions=True)
    return waiting.done()


async def fail_late():
    raise OSError("it is gone")


async def leave_handled():
    asyncio.get_running_loop().set_exception_handler(lambda loop, context: None)
    task = asyncio.create_task(fail_late())
    await asyncio.sleep(0)
    return task.done()


def tasks():
    """A script without an environment, which handles by itself what its second loop reports."""
    asyncio.run(leave_tasks(4))
    asyncio.run(leave_handled())


class Window:
    """Its display ends before it: a module keeps it."""

    display = True

    def free(self):
        if not Window.display:
            raise OSError("no display")

    def __del__(self):
        self.free()


def kept_by_module():
    """Leave a window to Python, which frees it after all handlers of atexit."""
    env = Arm()
    env.reset()
    globals()["kept"] = Window()
    atexit.register(setattr, Window, "display", False)


def evaluate(fails):
    if fails:
        raise RuntimeError("cannot be used after fork")


def pool_raises():
    env = Arm()
    env.reset()
    with FORK.Pool(1) as pool:
        pool.apply(evaluate, (True,))


class Guard(gymnasium.Wrapper):
    """It refuses a reset() that comes too early."""

    def reset(self, **options):
        if self.env.has_wrapper_attr("steps"):
            raise ValueError("not over")
        return self.env.reset(**options)


def refused_reset():
    env = Guard(Arm())
    env.reset()
    env.step(0)
    env.reset()


def abort_at_exit():
    """A library aborts in what the system calls after Python has ended."""
    env = Arm()
    env.reset()
    env.close()
    libc = ctypes.CDLL(None)
    getattr(libc, "__cxa_atexit")(ctypes.cast(libc.abort, ctypes.c_void_p), None, None)


if __name__ == "__main__":
    globals()[sys.argv[1]]()
