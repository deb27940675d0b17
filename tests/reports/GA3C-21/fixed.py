"""Agents in processes ask a predictor thread for actions; None ends it when they have ended."""

import multiprocessing
import threading

import gymnasium as gym

EPISODES = 30


class Agent(multiprocessing.Process):
    def __init__(self, number, requests, episodes):
        super().__init__()
        self.number, self.requests, self.episodes = number, requests, episodes
        self.answers = multiprocessing.Queue(maxsize=1)
        self.exit_flag = multiprocessing.Value("i", 0)

    def run(self):
        env = gym.make("CartPole-v1")
        seed = self.number
        while not self.exit_flag.value:
            state, _ = env.reset(seed=seed)
            seed, over = None, False
            while not over:
                self.requests.put((self.number, state))
                state, _, terminated, truncated, _ = env.step(self.answers.get())
                over = terminated or truncated
            with self.episodes.get_lock():
                self.episodes.value += 1
        env.close()


class Predictor(threading.Thread):
    def __init__(self, requests, agents):
        super().__init__(daemon=True)
        self.requests, self.agents = requests, agents
        self.exit_flag = False

    def run(self):
        while not self.exit_flag:
            request = self.requests.get()
            if request is not None:
                number, state = request
                self.agents[number].answers.put(int(state[2] > 0))


class Server:
    def __init__(self):
        self.requests = multiprocessing.Queue(maxsize=100)
        self.episodes = multiprocessing.Value("i", 0)
        self.agents = [Agent(number, self.requests, self.episodes) for number in range(3)]
        for agent in self.agents:
            agent.start()
        self.predictors = [Predictor(self.requests, self.agents)]
        for predictor in self.predictors:
            predictor.start()

    def remove_agent(self):
        agent = self.agents[-1]
        agent.exit_flag.value = True
        agent.join()
        self.agents.pop()

    def remove_predictor(self):
        self.predictors[-1].exit_flag = True
        self.requests.put(None)
        self.predictors[-1].join()
        self.predictors.pop()

    def main(self):
        enough = threading.Event()
        while self.episodes.value < EPISODES:
            enough.wait(0.01)
        while self.agents:
            self.remove_agent()
        while self.predictors:
            self.remove_predictor()


if __name__ == "__main__":
    Server().main()
