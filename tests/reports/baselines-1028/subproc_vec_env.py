"""A process for each environment; the first one says which spaces and which spec they have."""

from multiprocessing import get_context

import cloudpickle
import numpy as np


class CloudpickleWrapper:
    """What plain pickle has no way to send goes as bytes of cloudpickle."""

    def __init__(self, x):
        self.x = x

    def __getstate__(self):
        return cloudpickle.dumps(self.x)

    def __setstate__(self, data):
        self.x = cloudpickle.loads(data)


def worker(remote, parent_remote, env_fn_wrapper, wraps):
    parent_remote.close()
    env = env_fn_wrapper.x()
    try:
        while True:
            cmd, data = remote.recv()
            if cmd == "step":
                ob, reward, terminated, truncated, info = env.step(data)
                if terminated or truncated:
                    ob, _ = env.reset()
                remote.send((ob, reward, terminated or truncated, info))
            elif cmd == "reset":
                remote.send(env.reset(seed=data)[0])
            elif cmd == "get_spaces_spec":
                spaces_spec = (env.observation_space, env.action_space, env.spec)
                remote.send(CloudpickleWrapper(spaces_spec) if wraps else spaces_spec)
            elif cmd == "close":
                break
    finally:
        env.close()


class SubprocVecEnv:
    def __init__(self, env_fns, wraps=False):
        context = get_context("spawn")
        self.remotes, work_remotes = zip(*[context.Pipe() for _ in env_fns], strict=True)
        self.ps = [
            context.Process(target=worker, args=(work, remote, CloudpickleWrapper(env_fn), wraps))
            for work, remote, env_fn in zip(work_remotes, self.remotes, env_fns, strict=True)
        ]
        for p in self.ps:
            p.daemon = True
            p.start()
        for remote in work_remotes:
            remote.close()
        self.remotes[0].send(("get_spaces_spec", None))
        spaces_spec = self.remotes[0].recv()
        if wraps:
            spaces_spec = spaces_spec.x
        self.observation_space, self.action_space, self.spec = spaces_spec

    def step(self, actions):
        for remote, action in zip(self.remotes, actions, strict=True):
            remote.send(("step", action))
        results = [remote.recv() for remote in self.remotes]
        obs, rews, dones, infos = zip(*results, strict=True)
        return np.stack(obs), np.stack(rews), np.stack(dones), infos

    def reset(self, seed):
        for number, remote in enumerate(self.remotes):
            remote.send(("reset", seed + number))
        return np.stack([remote.recv() for remote in self.remotes])

    def close(self):
        for remote in self.remotes:
            remote.send(("close", None))
        for p in self.ps:
            p.join()
