"""A trainer with two workers, of which one fails: faults.py FAULT START_METHOD."""

import multiprocessing
import os
import pathlib
import signal
import sys
import time

import gymnasium

AT, STEPS = 20, 40


class Arm(gymnasium.Env):
    def __init__(self, fault=""):
        self.fault, self.steps = fault, 0

    def reset(self, *, seed=None, options=None):
        return 0, {}

    def step(self, action):
        self.steps += 1
        if self.steps == AT and self.fault:
            getattr(self, self.fault)()
        return 0, 0.0, False, False, {}

    def block(self):
        time.sleep(90)

    def loop(self):
        while True:
            self.fault += ""

    def exit(self):
        os._exit(3)

    def kill(self):
        os.kill(os.getpid(), signal.SIGKILL)

    def fail(self):
        raise ValueError("no such joint")

    def slow(self):
        """Works for three seconds, then waits for six."""
        until = time.process_time() + 3
        while time.process_time() < until:
            self.fault += ""
        time.sleep(6)


def work(pipe, fault):
    env = Arm(fault)
    env.reset()
    while pipe.recv() == "step":
        pipe.send(env.step(0))
    env.close()


def main(fault, method):
    context = multiprocessing.get_context(method)
    pipes = []
    for own in ("", fault):
        ours, theirs = context.Pipe()
        context.Process(target=work, args=(theirs, own), daemon=True).start()
        theirs.close()
        pipes.append(ours)
    try:
        for _ in range(STEPS):
            for pipe in pipes:
                pipe.send("step")
            for pipe in pipes:
                pipe.recv()
        for pipe in pipes:
            pipe.send("close")
    except (EOFError, ConnectionError):
        while not pathlib.Path("go").exists():  # as a trainer that does not notice
            time.sleep(0.05)
        for worker in multiprocessing.active_children():
            worker.terminate()
    for worker in multiprocessing.active_children():
        worker.join()


if __name__ == "__main__":
    main(*sys.argv[1:])
