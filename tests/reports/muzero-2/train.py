"""A search over copies of the environment keeps all nodes of all moves."""

import copy
import sys

import gymnasium as gym

FIXED = "fixed" in sys.argv


class Node:
    def __init__(self, state):
        self.state, self.visits = state, 0


class Search:
    def __init__(self):
        self.nodes = {}

    def move(self, env, moment):
        if FIXED:
            self.nodes.clear()
        values = []
        for action in range(2):
            state = copy.deepcopy(env)
            _, reward, over, _, _ = state.step(action)
            node = self.nodes.setdefault((moment, action), Node(state))
            node.visits += 1
            values.append(reward - over)
        return max(range(2), key=values.__getitem__)


def main():
    env = gym.make("CartPole-v1").unwrapped
    search = Search()
    moment = 0
    for episode in range(900):
        env.reset(seed=1 if episode == 0 else None)
        over = False
        while not over:
            moment += 1
            _, _, over, _, _ = env.step(search.move(env, moment))
    env.close()


if __name__ == "__main__":
    main()
