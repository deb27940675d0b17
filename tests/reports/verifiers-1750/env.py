"""Each episode takes a sandbox of a service. A file stands for the service: a line is a sandbox.
Now and then the service is out of order, and does not delete.
"""

import logging
import os
import tempfile
import uuid

import gymnasium

logger = logging.getLogger(__name__)


class ServiceError(Exception):
    """An answer of the service that is not 200."""


class SandboxClient:
    def __init__(self):
        self.path = os.path.join(tempfile.gettempdir(), "sandboxes")
        self.deletions = 0

    def create(self):
        name = uuid.uuid4().hex
        with open(self.path, "a") as file:
            file.write(name + "\n")
        return name

    def delete(self, name):
        self.deletions += 1
        if self.deletions % 4 == 0:
            raise ServiceError("DELETE: 503 Service Unavailable")
        with open(self.path) as file:
            left = [line for line in file if line != name + "\n"]
        with open(self.path, "w") as file:
            file.writelines(left)


CLIENT = SandboxClient()


class SandboxEnv(gymnasium.Env):
    observation_space = gymnasium.spaces.Text(40)
    action_space = gymnasium.spaces.Discrete(3)
    sandbox = None

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.destroy_sandbox()
        self.sandbox = CLIENT.create()
        self.turns = 0
        return "ready", {}

    def step(self, action):
        self.turns += 1
        return f"ran {action}", 0.0, self.turns == 5, False, {}

    def destroy_sandbox(self):
        if self.sandbox is None:
            return
        name, self.sandbox = self.sandbox, None
        try:
            CLIENT.delete(name)
        except Exception as error:
            logger.warning("Failed to delete sandbox %s: %s", name, error)

    def close(self):
        self.destroy_sandbox()


class Cured(SandboxEnv):
    """A sandbox that could not be deleted stays in the list, and is deleted the next time."""

    active = []

    def destroy_sandbox(self):
        if self.sandbox is not None:
            self.active.append(self.sandbox)
            self.sandbox = None
        for name in list(self.active):
            for _ in range(2):
                try:
                    CLIENT.delete(name)
                except ServiceError as error:
                    logger.warning("Failed to delete sandbox %s: %s", name, error)
                else:
                    self.active.remove(name)
                    break
