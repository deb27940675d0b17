"""Each episode takes a sandbox of a service, and none is ended. A file stands for the service: a line
is a sandbox.
"""

import os
import tempfile

import gymnasium

SERVICE = os.path.join(tempfile.gettempdir(), "sandboxes")
open(SERVICE, "a").close()


def sandboxes():
    with open(SERVICE) as file:
        return file.read().split()


class Shell(gymnasium.Env):
    observation_space = gymnasium.spaces.Text(100)
    action_space = gymnasium.spaces.Discrete(3)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.sandbox = os.urandom(4).hex()
        with open(SERVICE, "a") as file:
            file.write(self.sandbox + "\n")
        self.steps = 0
        return "ready", {}

    def step(self, action):
        self.steps += 1
        return "ok", 0.0, self.steps == 5, False, {}


class Cured(Shell):
    """The same, where reset() and close() end the sandbox."""

    sandbox = None

    def reset(self, *, seed=None, options=None):
        self.close()
        return super().reset(seed=seed, options=options)

    def close(self):
        left = [name for name in sandboxes() if name != self.sandbox]
        with open(SERVICE, "w") as file:
            file.writelines(name + "\n" for name in left)
        self.sandbox = None
