"""Writers of summaries have a thread each, which is asked to end by close()."""

import os
import queue
import tempfile
import threading
import time

import gymnasium as gym

EPOCHS = 12


class SummaryWriter:
    def __init__(self, path):
        self.events = queue.Queue()
        self.file = open(path, "w")
        self.logger = threading.Thread(target=self.run, name="EventLoggerThread")
        self.logger.start()

    def run(self):
        while True:
            event = self.events.get()
            if event is None:
                break
            self.file.write(event)
            self.file.flush()

    def scalar(self, tag, value, step):
        self.events.put(f"{step} {tag} {value}\n")

    def close(self):
        self.events.put(None)
        self.logger.join()
        self.file.close()


class Trainer:
    def __init__(self, env, folder):
        self.env = env
        self.train_sw = SummaryWriter(os.path.join(folder, "train.events"))
        self.eval_sw = SummaryWriter(os.path.join(folder, "eval.events"))

    def episode(self, seed=None):
        state, _ = self.env.reset(seed=seed)
        total, over = 0.0, False
        while not over:
            state, reward, terminated, truncated, _ = self.env.step(int(state[2] + state[3] > 0))
            total += reward
            over = terminated or truncated
        return total

    def run(self):
        for epoch in range(EPOCHS):
            self.train_sw.scalar("return", self.episode(seed=epoch), epoch)
            self.eval_sw.scalar("return", self.episode(), epoch)
            time.sleep(0.4)  # the policy is trained
            print(f"epoch {epoch} is done", flush=True)

    def close(self):
        self.train_sw.close()
        self.eval_sw.close()


def main():
    with tempfile.TemporaryDirectory() as folder:
        env = gym.make("CartPole-v1")
        trainer = Trainer(env, folder)
        trainer.run()
        trainer.close()
        env.close()
    print("finished training", flush=True)


if __name__ == "__main__":
    main()
