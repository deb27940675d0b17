"""A pool of environments in forked processes, which share memory and semaphores with the trainer."""

import multiprocessing
import os
import sys
import time

import numpy as np

LIMIT = 20.0


class EnvStepper:
    """One part of the batch in one process."""

    def __init__(self, context, make, size):
        self.orders, self.results = context.Semaphore(0), context.Semaphore(0)
        self.actions = context.Array("l", size, lock=False)
        self.states = context.Array("d", size * 4, lock=False)
        self.process = context.Process(target=self.run, args=(make, size), daemon=True)
        self.process.start()

    def run(self, make, size):
        try:
            envs = [make() for _ in range(size)]
            observations = [env.reset()[0] for env in envs]
            while True:
                self.orders.acquire()
                for number, env in enumerate(envs):
                    observation, _, over, cut, _ = env.step(self.actions[number])
                    observations[number] = env.reset()[0] if over or cut else observation
                self.states[:] = np.concatenate(observations).tolist()
                self.results.release()
        except Exception as error:
            print("Error in env:", error, file=sys.stderr, flush=True)
            os._exit(1)


class EnvPool:
    def __init__(self, make, batch_size, num_processes):
        context = multiprocessing.get_context("fork")
        self.size = batch_size // num_processes
        self.steppers = [EnvStepper(context, make, self.size) for _ in range(num_processes)]

    def step(self, actions):
        for number, stepper in enumerate(self.steppers):
            stepper.actions[:] = actions[number * self.size : (number + 1) * self.size].tolist()
            stepper.orders.release()
        return self.result()

    def result(self):
        end = time.monotonic() + LIMIT
        for stepper in self.steppers:
            if not stepper.results.acquire(timeout=max(0.0, end - time.monotonic())):
                raise RuntimeError("Timed out waiting for env")
        return np.concatenate([stepper.states[:] for stepper in self.steppers]).reshape(-1, 4)
