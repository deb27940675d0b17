"""The same, where a client is closed in the loop that it was used in."""

import train
from openai_client import AsyncOpenAI


class Agent(train.Agent):
    async def reply(self, advice):
        async with AsyncOpenAI(self.port) as client:
            answer = await client.completions.create(f"{self.name}: {advice}")
        self.memory.append({"role": "assistant", "content": answer})
        return answer


if __name__ == "__main__":
    train.Agent = Agent
    train.main()
