"""A training: each of its steps waits until all rollouts of a batch are there."""

import asyncio

from client import RolloutClient, Service


def generate_rollouts(client, prompts):
    return asyncio.run(client.run_batch_async(prompts))


def main():
    client = RolloutClient(Service())
    weight = 0.0
    for step in range(20):
        prompts = [f"{step} + {number}" for number in range(8)]
        rewards = [result["reward"] for result in generate_rollouts(client, prompts)]
        weight += 0.1 * (sum(rewards) / len(rewards) - weight)
    print(f"weight {weight:.3f} after {client.invoked} rollouts")


if __name__ == "__main__":
    main()
