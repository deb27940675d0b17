"""The game ends by a limit of its own, of which the flags of the players say nothing."""

import random
import sys

import gymnasium
import numpy as np

FIXED = "fixed" in sys.argv
EPISODES = 40
HINT, PLAY = 0, 1


class HanabiGame:
    """Three misplays end a game, and so does a number of turns."""

    max_turns = 40

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.lives = 3
        self.score = 0
        self.turns = 0

    def is_over(self):
        return self.lives == 0 or self.score == 25 or self.turns == self.max_turns

    def move(self, action):
        if self.is_over():
            raise ValueError("the game is over: no player can move any more")
        self.turns += 1
        if action == PLAY:
            if self.random.random() < 0.5:
                self.score += 1
            else:
                self.lives -= 1


class HanabiEnv:
    """Players move in turn, as in an AEC environment."""

    metadata = {"name": "hanabi_v5", "render_modes": []}
    possible_agents = ("player_0", "player_1")

    def observation_space(self, agent):
        return gymnasium.spaces.Box(0.0, 50.0, (3,), np.float32)

    def action_space(self, agent):
        return gymnasium.spaces.Discrete(2)

    def reset(self, seed=None, options=None):
        self.game = HanabiGame(seed)
        self.agents = list(self.possible_agents)
        self.agent_selection = self.agents[0]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)

    def observe(self, agent):
        return np.array([self.game.lives, self.game.score, self.game.turns], np.float32)

    def last(self):
        agent = self.agent_selection
        flags = self.terminations[agent], self.truncations[agent]
        return self.observe(agent), self.rewards[agent], *flags, {}

    def agent_iter(self):
        while self.agents:
            yield self.agent_selection

    def step(self, action):
        agent = self.agent_selection
        place = self.agents.index(agent)
        if self.terminations[agent] or self.truncations[agent]:
            self.agents.remove(agent)
        else:
            score = self.game.score
            self.game.move(action)
            over = self.game.is_over() if FIXED else self.game.lives == 0 or self.game.score == 25
            self.rewards = dict.fromkeys(self.agents, float(self.game.score - score))
            self.terminations = dict.fromkeys(self.agents, over)
            place += 1
        if self.agents:
            self.agent_selection = self.agents[place % len(self.agents)]

    def close(self):
        self.agents = []


class Policy:
    def __init__(self):
        self.random = random.Random(7)
        self.careful = 0.5

    def act(self, observation):
        return HINT if self.random.random() < self.careful else PLAY

    def learn(self, score):
        self.careful = min(0.95, self.careful + 0.02)


def main():
    env = HanabiEnv()
    policy = Policy()
    for episode in range(EPISODES):
        env.reset(seed=episode)
        total = 0.0
        for agent in env.agent_iter():
            observation, reward, termination, truncation, _ = env.last()
            total += reward
            env.step(None if termination or truncation else policy.act(observation))
        policy.learn(total)
        print(f"episode {episode}: {env.game.turns} turns, score {env.game.score}", flush=True)
    env.close()


if __name__ == "__main__":
    main()
