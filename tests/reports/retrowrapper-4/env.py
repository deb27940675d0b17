"""A process can have one emulator only: the wrapper plays its own in another one, and asks it."""

import multiprocessing

import gymnasium
import numpy as np

BUTTONS = 8


class Emulator(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(0, 255, (4,), np.uint8)
    action_space = gymnasium.spaces.Discrete(BUTTONS)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.screen, self.frames = self.np_random.integers(0, 256, 4, np.uint8), 0
        return self.screen.copy(), {}

    def step(self, action):
        self.screen[self.frames % 4] ^= np.uint8(action)
        self.frames += 1
        return self.screen.copy(), 1.0, False, self.frames == 30, {}


class FewButtons(gymnasium.ActionWrapper):
    """The agent has three moves."""

    moves = (0, 3, 5)

    def __init__(self, env):
        super().__init__(env)
        self.action_space = gymnasium.spaces.Discrete(len(self.moves))

    def action(self, action):
        return self.moves[action]


def make():
    return FewButtons(Emulator())


def play(requests, results):
    env = make()
    while True:
        name, arguments = requests.get()
        if name == "close":
            env.close()
            break
        results.put(getattr(env, name)(**arguments))


class RetroWrapper(gymnasium.Env):
    def __init__(self):
        temporary = make()
        self.take_spaces(temporary)
        temporary.close()
        context = multiprocessing.get_context("fork")
        self.requests, self.results = context.SimpleQueue(), context.SimpleQueue()
        self.process = context.Process(target=play, args=(self.requests, self.results), daemon=True)
        self.process.start()

    def take_spaces(self, env):
        self.action_space = env.unwrapped.action_space
        self.observation_space = env.unwrapped.observation_space

    def ask(self, name, **arguments):
        self.requests.put((name, arguments))
        return self.results.get()

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        return self.ask("reset", seed=seed)

    def step(self, action):
        return self.ask("step", action=int(action))

    def close(self):
        if self.process is not None:
            self.requests.put(("close", {}))
            self.process.join()
            self.process = None
            for pipe in (self.requests, self.results):
                pipe.close()


class Cured(RetroWrapper):
    def take_spaces(self, env):
        self.action_space, self.observation_space = env.action_space, env.observation_space
