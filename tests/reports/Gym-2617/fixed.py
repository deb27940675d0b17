"""The same, where the client is closed in the event loop that it was made in."""

import asyncio

import train


def get_global_client():
    if train._CLIENT is None:
        train._CLIENT = train.ClientSession()
    return train._CLIENT


async def rollouts():
    try:
        await train.rollouts()
    finally:
        await train._CLIENT.close()


if __name__ == "__main__":
    train.get_global_client = get_global_client
    asyncio.run(rollouts())
    print("the training is done", flush=True)
