"""Actors that play environments, and the executor that asks them for samples."""

import pickle
import subprocess
import sys
import tempfile
from multiprocessing.connection import Listener
from pathlib import Path

import gymnasium

ACTOR = str(Path(__file__).with_name("actor.py"))


class RemoteError(Exception):
    """What a method of an actor raised, in the process that asks for its result."""


class PolicyWorker:
    """An environment and a policy, in the process of an actor."""

    def __init__(self, env_spec):
        self.env = gymnasium.make(env_spec["gym_env"])
        self.state, _ = self.env.reset(seed=env_spec["seed"])
        self.env.action_space.seed(env_spec["seed"])

    def execute_and_get_timesteps(self, steps):
        rewards = []
        for _ in range(steps):
            self.state, reward, over, cut, _ = self.env.step(self.env.action_space.sample())
            rewards.append(reward)
            if over or cut:
                self.state, _ = self.env.reset()
        return rewards

    def terminate(self):
        self.env.close()


class Actor:
    def __init__(self, folder, number, env_spec):
        address = str(Path(folder) / f"actor_{number}")
        with Listener(address) as listener:
            self.process = subprocess.Popen([sys.executable, ACTOR, address])
            self.connection = listener.accept()
        self.remote("__init__", PolicyWorker, env_spec)
        self.get()

    def remote(self, name, *arguments):
        self.connection.send_bytes(pickle.dumps((name, arguments)))

    def get(self):
        answer = self.connection.recv()
        if isinstance(answer, Exception):
            raise answer
        return answer

    def terminate(self):
        self.remote("terminate")
        self.get()
        self.connection.close()
        self.process.wait()


class ApexExecutor:
    def __init__(self, environment_spec, num_workers=2):
        self.folder = tempfile.TemporaryDirectory()
        specs = [{**environment_spec, "seed": number} for number in range(num_workers)]
        self.workers = [Actor(self.folder.name, *pair) for pair in enumerate(specs)]

    def execute_workload(self, updates, steps):
        rewards = []
        for _ in range(updates):
            for worker in self.workers:
                worker.remote("execute_and_get_timesteps", steps)
            for worker in self.workers:
                rewards += worker.get()
        return rewards

    def terminate(self):
        for worker in self.workers:
            worker.terminate()
        self.folder.cleanup()
