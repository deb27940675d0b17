"""An agent works in a container that ends by itself after some time, and is never told so."""

import subprocess
import sys
import time

import gymnasium as gym
import numpy as np

FIXED = "fixed" in sys.argv
LIFE = "1"  # seconds
STEPS = 60


class ContainerGone(RuntimeError):
    pass


class Container:
    """It runs `sleep`, and is removed when that has ended."""

    def __init__(self):
        self.main = subprocess.Popen(["sleep", LIFE])

    def exec(self, command):
        if self.main.poll() is not None:
            raise ContainerGone("No such container")
        return subprocess.run(command, stdout=subprocess.PIPE, check=False, timeout=10)

    def remove(self):
        self.main.kill()
        self.main.wait()


class DockerEnvironment(gym.Env):
    observation_space = gym.spaces.Box(-1.0, 255.0, (2,), np.float32)
    action_space = gym.spaces.Discrete(2)
    commands = (["true"], ["false"])
    container = None

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.close()
        self.container = Container()
        self.turns, self.gone = 0, False
        return np.zeros(2, np.float32), {}

    def execute(self, command):
        try:
            return {"returncode": self.container.exec(command).returncode, "exception_info": ""}
        except Exception as error:
            self.gone = isinstance(error, ContainerGone)
            return {"returncode": -1, "exception_info": f"An error occurred: {error}"}

    def step(self, action):
        self.turns += 1
        output = self.execute(self.commands[int(action)])
        observation = np.array([output["returncode"], self.turns], np.float32)
        over = self.turns == STEPS or (FIXED and self.gone)
        return observation, 0.0, False, over, output

    def close(self):
        if self.container is not None:
            self.container.remove()
            self.container = None


def main():
    env = DockerEnvironment()
    random = np.random.default_rng(0)
    for _ in range(2):
        env.reset()
        over = False
        while not over:
            time.sleep(0.05)  # the model thinks
            _, _, _, over, _ = env.step(random.integers(2))
    env.close()


if __name__ == "__main__":
    main()
