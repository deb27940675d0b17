"""Agents discuss a task in rounds: each round is a step() of the environment, in a loop of its own."""

import asyncio

from openai_client import AsyncOpenAI, serve


class Agent:
    def __init__(self, name, port):
        self.name, self.port, self.memory = name, port, []

    async def reply(self, advice):
        client = AsyncOpenAI(self.port)
        answer = await client.completions.create(f"{self.name}: {advice}")
        self.memory.append({"role": "assistant", "content": answer})
        return answer


class TaskSolving:
    """The environment: a solver, and critics that answer it at the same time."""

    def __init__(self, port, rounds):
        self.agents = [Agent(name, port) for name in ("solver", "critic 1", "critic 2")]
        self.rounds = rounds

    def reset(self):
        self.round = 0
        for agent in self.agents:
            agent.memory.clear()

    async def step(self, advice):
        solution = await self.agents[0].reply(advice)
        opinions = await asyncio.gather(*[agent.reply(solution) for agent in self.agents[1:]])
        self.round += 1
        return solution, " ".join(opinions)[:40]

    def is_done(self):
        return self.round == self.rounds


def run(environment, task):
    environment.reset()
    advice = task
    while not environment.is_done():
        result, advice = asyncio.run(environment.step(advice))
    return result


def main():
    environment = TaskSolving(serve(), rounds=25)
    for number in range(8):
        print(run(environment, f"task {number}")[:40])


if __name__ == "__main__":
    main()
