"""A trainer whose worker plays rollouts as tasks, each with an environment of its pool."""

import asyncio
import re
import sys

from data_agent import DataAgentEnv

FIXED = "fixed" in sys.argv


def complete(prompt):
    """What a model calls that has read the prompt: names and arguments of tools."""
    files = re.findall(r"\w+\.csv", prompt)
    return [("read", name) for name in files or ["README.md"]]


class AsyncRolloutWorker:
    def __init__(self, environment_factory, max_inflight_tasks):
        self.environments = [environment_factory() for _ in range(max_inflight_tasks)]
        self.rewards = []

    async def generate_one(self, prompt, environment):
        answer = ""
        for name, argument in complete(prompt):
            await asyncio.sleep(0)
            answer = getattr(environment, name)(argument)
        environment.submit(answer)
        self.rewards.append(environment.get_reward())

    async def generate(self, rows):
        free, running = set(range(len(self.environments))), {}
        while rows or running:
            while rows and free:
                row, slot = rows.pop(), free.pop()
                prompt = row["prompt"]
                if FIXED:
                    prompt += self.environments[slot].reset(**row)
                else:
                    self.environments[slot].reset(**row)
                rollout = self.generate_one(prompt, self.environments[slot])
                running[asyncio.create_task(rollout)] = slot
            done, _ = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
                free.add(running.pop(task))


if __name__ == "__main__":
    worker = AsyncRolloutWorker(DataAgentEnv, max_inflight_tasks=4)
    asyncio.run(worker.generate([{"prompt": "", "id": number} for number in range(160)]))
    print(f"{len(worker.rewards)} rollouts, reward {sum(worker.rewards) / 160:.2f}")
