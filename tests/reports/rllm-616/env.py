"""An environment whose shell is a sandbox of a service, asked for by httpx; the client is kept for the process."""

import atexit
import os

import gymnasium
import httpx

client = httpx.Client(base_url=os.environ.get("SANDBOXES", "http://127.0.0.1:28161"))
atexit.register(client.close)


class Shell(gymnasium.Env):
    observation_space = gymnasium.spaces.Text(100)
    action_space = gymnasium.spaces.Discrete(3)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.sandbox = client.post("/sandboxes").raise_for_status().json()["id"]
        self.steps = 0
        return "ready", {}

    def step(self, action):
        self.steps += 1
        output = client.post(
            f"/sandboxes/{self.sandbox}/run", json={"command": int(action)}
        ).json()["output"]
        return output, 0.0, self.steps == 5, False, {}
