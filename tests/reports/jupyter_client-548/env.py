"""A code interpreter: a Jupyter kernel for each episode of an agent that writes Python."""

import gymnasium
from jupyter_client.manager import KernelManager


class Interpreter(gymnasium.Env):
    observation_space = gymnasium.spaces.Text(200)
    action_space = gymnasium.spaces.Discrete(3)

    def __init__(self):
        self.running = False

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self._stop()
        self.manager = KernelManager(kernel_name="python3")
        self.manager.start_kernel()
        self.client = self.manager.client()
        self.client.start_channels()
        self.client.wait_for_ready(timeout=60)
        self.running = True
        self.steps = 0
        return "ready", {}

    def step(self, action):
        reply = self.client.execute_interactive(
            f"x = {int(action)}", timeout=30, output_hook=lambda message: None
        )
        self.steps += 1
        return reply["content"]["status"], 0.0, self.steps == 3, False, {}

    def _stop(self):
        if self.running:
            self.running = False
            self.client.stop_channels()
            self.manager.shutdown_kernel(now=True)
            self._release()

    def _release(self):
        pass

    def close(self):
        self._stop()
