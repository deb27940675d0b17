"""An orchestrator asks a server of environments for episodes."""

import asyncio
import multiprocessing
import sys
import tempfile
from pathlib import Path

from env_server import run_env_server

FIXED = "fixed" in sys.argv
TIMEOUT = 20.0


class Env:
    def __init__(self, log_dir):
        context = multiprocessing.get_context("spawn")
        self.requests, self.replies = context.Queue(), context.Queue()
        self.log_file = str(Path(log_dir) / "word_game.log")
        self.process = context.Process(
            target=run_env_server, args=(self.log_file, self.requests, self.replies)
        )
        self.process.start()

    async def run(self, number, task):
        self.requests.put((number, task))
        return await asyncio.to_thread(self.replies.get, timeout=TIMEOUT)

    async def close(self):
        self.requests.put(None)
        await asyncio.to_thread(self.process.join)


async def orchestrate(log_dir):
    env = Env(log_dir)
    rewards = []
    for number in range(40):
        task = number % 5 if FIXED else number % 5 + number // 20
        _, reward = await env.run(number, task)
        rewards.append(reward)
    print(f"{len(rewards)} episodes, mean reward {sum(rewards) / len(rewards):.2f}")
    await env.close()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(orchestrate(folder))
