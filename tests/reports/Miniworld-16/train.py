"""An A2C training whose environments live in processes, each with a pipe of its own."""

import multiprocessing as mp

import gymnasium
import numpy as np


class Hallway(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(0, 255, (12, 16, 3), np.uint8)
    action_space = gymnasium.spaces.Discrete(3)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.place, self.steps = 0, 0
        self.texture = self.np_random.integers(0, 255, (12, 16, 3), np.uint8)
        return self.look(), {}

    def look(self):
        return np.roll(self.texture, self.place, axis=1)

    def step(self, action):
        self.steps += 1
        self.place = max(0, self.place + (int(action) == 2))
        over = self.place == 12
        return self.look(), float(over), over, self.steps == 60, {}


def worker(pipe, parent_pipe, make):
    parent_pipe.close()
    env = make()
    try:
        while True:
            command, data = pipe.recv()
            if command == "reset":
                pipe.send(env.reset(seed=data)[0])
            elif command == "step":
                view, reward, terminated, truncated, _ = env.step(data)
                over = terminated or truncated
                if over:
                    view, _ = env.reset()
                pipe.send((view, reward, over))
            elif command == "close":
                pipe.send(None)
                break
    except KeyboardInterrupt:
        print("worker: got KeyboardInterrupt")
    finally:
        env.close()


class SubprocVecEnv:
    def __init__(self, makers):
        self.pipes, self.processes = [], []
        for make in makers:
            parent_pipe, child_pipe = mp.Pipe()
            process = mp.Process(target=worker, args=(child_pipe, parent_pipe, make), daemon=True)
            process.start()
            child_pipe.close()
            self.pipes.append(parent_pipe)
            self.processes.append(process)

    def reset(self):
        for number, pipe in enumerate(self.pipes):
            pipe.send(("reset", number))
        return np.stack([pipe.recv() for pipe in self.pipes])

    def step(self, actions):
        for pipe, action in zip(self.pipes, actions):
            pipe.send(("step", action))
        views, rewards, overs = zip(*[pipe.recv() for pipe in self.pipes])
        return np.stack(views), np.array(rewards), np.array(overs)

    def close(self):
        for pipe in self.pipes:
            pipe.send(("close", None))
        for pipe, process in zip(self.pipes, self.processes):
            pipe.recv()
            process.join()


def train(envs, updates=40, steps=20):
    rng = np.random.default_rng(0)
    envs.reset()
    episodes = 0
    for update in range(1, updates + 1):
        for _ in range(steps):
            _, _, overs = envs.step(rng.integers(0, 3, len(envs.pipes)))
            episodes += int(overs.sum())
        if update % 10 == 0:
            print(
                f"Updates {update}, num timesteps {update * steps}, {episodes} episodes", flush=True
            )


def main():
    envs = SubprocVecEnv([Hallway, Hallway])
    train(envs)
    print("Saving model", flush=True)


if __name__ == "__main__":
    main()
