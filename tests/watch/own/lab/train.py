"""Play environments in workers, and print what a hook could change."""

import inspect
import multiprocessing
import pickle
import sys
import traceback

import cloudpickle

from lab.maze import LoggedMaze, Maze, Point


class Corridor:
    def __init__(self, size: int) -> None:
        self.size = size

    def reset(self):
        return self.size

    def step(self, action):
        return self.size, 0.0, False, {}


def play(size: int) -> float:
    env, total = LoggedMaze(Maze(size, seed=size)), 0.0
    for _ in range(30):
        env.reset()
        done = False
        while not done:
            _, reward, done, _ = env.step(env.env.random.choice((-1, 1)))
            total += reward
    local = Corridor(size)
    for _ in range(6):
        local.reset()
        local.step(1)
    return total


def fail() -> None:
    class BrokenEnv:
        x = 1 / 0


if __name__ == "__main__":
    print(inspect.signature(Maze), inspect.signature(Point), Point.__doc__)
    print(type(pickle.loads(pickle.dumps(Maze(5)))))
    with multiprocessing.get_context(sys.argv[1]).Pool(2) as pool:
        print(pool.map(play, range(3, 7)))
        pool.close()
        pool.join()
    try:
        fail()
    except ZeroDivisionError:
        traceback.print_exc(file=sys.stdout)
    try:
        Corridor()
    except TypeError as error:
        print(error)
    print(inspect.signature(Corridor), sorted(vars(Corridor)))
    print(type(pickle.loads(cloudpickle.dumps(Corridor))(3)))
