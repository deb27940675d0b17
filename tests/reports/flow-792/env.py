"""Cars start anew at shuffled places; the simulator holds back who would start too near to another."""

import json
import subprocess
import sys

import gymnasium
import numpy as np

SUMO = """
import json, sys
LENGTH, GAP = 230.0, 7.5
for line in sys.stdin:
    order = json.loads(line)
    if "add" in order:
        cars = {}
        for name, place in order["add"].items():
            ahead = [abs((place - other + LENGTH / 2) % LENGTH - LENGTH / 2) for other in cars.values()]
            if not ahead or min(ahead) >= GAP:
                cars[name] = place
    else:
        cars = {name: (place + order["speed"]) % LENGTH for name, place in cars.items()}
    print(json.dumps(cars), flush=True)
"""
LENGTH, CARS = 230.0, 6


class FatalFlowError(Exception):
    pass


class Ring(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(0.0, LENGTH, (CARS,), np.float32)
    action_space = gymnasium.spaces.Discrete(5)

    def __init__(self):
        self.np_random = np.random.default_rng(1)  # where reset() never gets a seed
        self.initial_ids = [f"idm_{number}" for number in range(CARS)]
        self.start()

    def start(self):
        command = [sys.executable, "-S", "-c", SUMO]
        self.sumo = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def ask(self, **order):
        self.sumo.stdin.write(json.dumps(order) + "\n")
        self.sumo.stdin.flush()
        return json.loads(self.sumo.stdout.readline())

    def shuffle(self):
        places = np.arange(CARS) * LENGTH / CARS + self.np_random.normal(0.0, 10.0, CARS)
        return self.np_random.permutation(places % LENGTH)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        if self.sumo is None:
            self.start()
        self.steps = 0
        initial_state = dict(zip(self.initial_ids, self.shuffle().tolist(), strict=True))
        cars = self.ask(add=initial_state)
        missing = [name for name in self.initial_ids if name not in cars]
        if missing:
            raise FatalFlowError(f"Not enough vehicles have spawned! Bad start? Missing: {missing}")
        return np.array([cars[name] for name in self.initial_ids], np.float32), {}

    def step(self, action):
        self.steps += 1
        cars = self.ask(speed=float(action))
        observation = np.array([cars[name] for name in self.initial_ids], np.float32)
        return observation, float(action), False, self.steps == 20, {}

    def close(self):
        if self.sumo is not None:
            self.sumo.communicate()
            self.sumo = None


class Cured(Ring):
    def shuffle(self):
        places = np.arange(CARS) * LENGTH / CARS + self.np_random.uniform(-10.0, 10.0, CARS)
        return self.np_random.permutation(places % LENGTH)
