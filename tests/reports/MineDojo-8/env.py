"""The constructor takes the settings of a task out of what the module keeps."""

import gymnasium
import numpy as np

ALL_TASKS_SPECS = {
    "harvest_wool": {
        "cls": "HarvestMeta",
        "prompt": "harvest wool with shears from a sheep",
        "initial_inventory": {"shears": 1},
        "target_quantity": 2,
        "spawn_range": 10,
    },
}


class MineDojo(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(0.0, 100.0, (3,), np.float32)
    action_space = gymnasium.spaces.Discrete(4)

    def __init__(self, task_id="harvest_wool"):
        task_specs = self.specs_of(task_id)
        if "initial_inventory" in task_specs:
            self.inventory = task_specs.pop("initial_inventory")
        self.prompt = task_specs.pop("prompt")
        self.meta = task_specs.pop("cls")
        self.target_quantity = task_specs["target_quantity"]
        self.spawn_range = task_specs["spawn_range"]

    def specs_of(self, task_id):
        return ALL_TASKS_SPECS[task_id]

    def observe(self):
        return np.array([self.distance, self.wool, self.inventory["shears"]], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.steps = 0
        self.wool = 0
        self.distance = int(self.np_random.integers(1, self.spawn_range))
        return self.observe(), {}

    def step(self, action):
        self.steps += 1
        if action == 0:
            self.distance = max(self.distance - 1, 0)
        elif action == 1 and self.distance == 0:
            self.wool += 1
        done = self.wool == self.target_quantity
        return self.observe(), float(done), done, self.steps == 30, {}


class Cured(MineDojo):
    def specs_of(self, task_id):
        return dict(ALL_TASKS_SPECS[task_id])
