"""A vectorizer returns views of its shared memory: what was stored is what the next step() writes."""

import multiprocessing
import sys
import time

import gymnasium
import numpy as np

FIXED = "fixed" in sys.argv
ENVS, STEPS = 3, 1500


class Warehouse(gymnasium.Env):
    observation_space = gymnasium.spaces.Dict(
        {
            "stock": gymnasium.spaces.Box(0.0, 100.0, (5,), np.float32),
            "robot": gymnasium.spaces.Box(-50.0, 50.0, (2,), np.float32),
        }
    )
    action_space = gymnasium.spaces.Discrete(4)

    def observe(self):
        return {"stock": self.stock.copy(), "robot": self.robot.copy()}

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.stock = self.np_random.uniform(10.0, 90.0, 5).astype(np.float32)
        self.robot = np.zeros(2, np.float32)
        self.steps = 0
        return self.observe(), {}

    def step(self, action):
        self.steps += 1
        self.robot[action // 2] += 1 - 2 * (action % 2)
        self.stock[self.steps % 5] *= np.float32(0.9)
        return self.observe(), float(self.stock.sum()), False, self.steps == 40, {}


class ShArray:
    """An array in memory that the trainer and a worker share."""

    def __init__(self, space):
        self.shape, self.dtype = space.shape, space.dtype
        self.memory = multiprocessing.RawArray("b", int(np.prod(self.shape)) * self.dtype.itemsize)

    def view(self):
        return np.frombuffer(self.memory, self.dtype).reshape(self.shape)

    def save(self, array):
        np.copyto(self.view(), array)

    def get(self):
        return self.view().copy() if FIXED else self.view()


def work(make, pipe, shared):
    env = make()

    def save(observation):
        for key, array in shared.items():
            array.save(observation[key])

    while (order := pipe.recv()) != "close":
        if order == "reset":
            save(env.reset()[0])
            pipe.send(None)
        else:
            observation, *rest = env.step(order)
            save(observation)
            pipe.send(rest)
    env.close()


class ShmemEnvWorker:
    def __init__(self, make, spaces):
        self.shared = {key: ShArray(space) for key, space in spaces.items()}
        self.pipe, its = multiprocessing.Pipe()
        arguments = (make, its, self.shared)
        self.process = multiprocessing.Process(target=work, args=arguments, daemon=True)
        self.process.start()
        its.close()

    def observation(self):
        return {key: array.get() for key, array in self.shared.items()}

    def ask(self, order):
        self.pipe.send(order)

    def answer(self):
        rest = self.pipe.recv()
        return self.observation() if rest is None else (self.observation(), *rest)


class ShmemVectorEnv:
    def __init__(self, makers):
        spaces = makers[0].observation_space
        self.workers = [ShmemEnvWorker(make, spaces) for make in makers]

    def reset(self, indices=None):
        workers = [self.workers[index] for index in indices or range(len(self.workers))]
        for worker in workers:
            worker.ask("reset")
        return self.stack([worker.answer() for worker in workers])

    def step(self, actions):
        for worker, action in zip(self.workers, actions, strict=True):
            worker.ask(int(action))
        observations, *rest = zip(*[worker.answer() for worker in self.workers], strict=True)
        return self.stack(observations), *map(np.array, rest[:3])

    def stack(self, observations):
        return np.stack(observations)  # copies arrays; of dicts it makes an array of references

    def close(self):
        for worker in self.workers:
            worker.ask("close")
            worker.process.join()
            worker.pipe.close()


class ReplayBuffer:
    def __init__(self, size):
        self.size = size
        self.transitions = []

    def add(self, obs, act, rew, obs_next):
        self.transitions.append((obs, act, rew, obs_next))
        del self.transitions[: -self.size]

    def sample(self, rng, size):
        return [self.transitions[index] for index in rng.integers(len(self.transitions), size=size)]

    def unchanged(self):
        return sum(
            all(np.array_equal(obs[key], obs_next[key]) for key in obs)
            for obs, _, _, obs_next in self.transitions
        )


def main():
    rng = np.random.default_rng(0)
    envs = ShmemVectorEnv([Warehouse] * ENVS)
    buffer = ReplayBuffer(20000)
    obs = envs.reset()
    for step in range(STEPS):
        actions = rng.integers(4, size=ENVS)
        obs_next, rewards, terminated, truncated = envs.step(actions)
        for index in range(ENVS):
            buffer.add(obs[index], actions[index], rewards[index], obs_next[index])
        obs = obs_next
        over = [index for index in range(ENVS) if terminated[index] or truncated[index]]
        if over:
            obs = obs.copy()
            obs[over] = envs.reset(over)
        if step % 300 == 299:
            value = np.mean([reward for _, _, reward, _ in buffer.sample(rng, 64)])
            time.sleep(0.3)  # the policy is trained
            print(f"step {step + 1}: mean reward {value:.1f}", flush=True)
    envs.close()
    print(f"obs == obs_next in {buffer.unchanged()} of {len(buffer.transitions)}", flush=True)


if __name__ == "__main__":
    main()
