"""A vectorizer whose workers are bound methods of itself, and so take it along when they are spawned."""

import multiprocessing

import gymnasium
import numpy as np

CONTEXT = multiprocessing.get_context("spawn")


class Mario(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(0, 255, (4, 21, 21), np.uint8)
    action_space = gymnasium.spaces.Discrete(7)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.steps = 0
        return self.look(), {}

    def step(self, action):
        self.steps += 1
        return self.look(), 0.0, self.steps == 30, False, {}

    def look(self):
        return self.np_random.integers(0, 256, (4, 21, 21), np.uint8)


class MultipleEnvironments:
    def __init__(self, num_envs):
        self.agent_conns, self.env_conns = zip(*[CONTEXT.Pipe() for _ in range(num_envs)])
        self.envs = [Mario() for _ in range(num_envs)]
        for index in range(num_envs):
            process = CONTEXT.Process(target=self.run, args=(index,), daemon=True)
            process.start()
            self.env_conns[index].close()

    def run(self, index):
        self.agent_conns[index].close()
        while True:
            request, value = self.env_conns[index].recv()
            if request == "step":
                self.env_conns[index].send(self.envs[index].step(value))
            elif request == "reset":
                self.env_conns[index].send(self.envs[index].reset(seed=value))
            else:
                self.envs[index].close()
                return

    def ask(self, request, values):
        for agent_conn, value in zip(self.agent_conns, values):
            agent_conn.send((request, value))
        return [agent_conn.recv() for agent_conn in self.agent_conns]

    def close(self):
        for agent_conn in self.agent_conns:
            agent_conn.send(("close", None))
        for process in multiprocessing.active_children():
            process.join()


def main(kind=MultipleEnvironments):
    envs = kind(4)
    envs.ask("reset", range(4))
    for step in range(30):
        envs.ask("step", [step % 7] * 4)
    envs.close()


if __name__ == "__main__":
    main()
