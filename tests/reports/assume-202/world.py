"""A market of electricity, of which the agents send each other messages through a container."""

import asyncio

import gymnasium
import numpy as np


class Container:
    """Delivers messages to agents: in its process, and to those that connect to its address."""

    def __init__(self, addr):
        self.addr, self.server, self.inboxes = addr, None, {}

    async def start(self):
        if self.addr is not None:
            self.server = await asyncio.start_server(self.receive, *self.addr)

    async def receive(self, reader, writer):
        receiver, _, content = (await reader.readline()).decode().partition(" ")
        self.send(receiver, float(content))
        writer.close()

    def send(self, receiver, content):
        self.inboxes.setdefault(receiver, []).append(content)

    async def shutdown(self):
        if self.server is not None:
            self.server.close()
            await self.server.wait_closed()


class World:
    def __init__(self, ifac_addr="127.0.0.1", port=9099):
        self.addr = (ifac_addr, port)
        self.loop = asyncio.new_event_loop()
        self.container = None

    async def setup(self):
        if self.container is not None:
            await self.container.shutdown()
        self.container = Container(self.addr)
        await self.container.start()

    def close(self):
        if self.container is not None:
            self.loop.run_until_complete(self.container.shutdown())
            self.container = None
        self.loop.close()


class LocalWorld(World):
    """Its agents are all in one process: its container has no address."""

    def __init__(self):
        super().__init__()
        self.addr = None


class Bidding(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(0.0, 200.0, (2,), np.float32)
    action_space = gymnasium.spaces.Box(0.0, 100.0, (1,), np.float32)
    world_class = World

    def __init__(self):
        self.world = None

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        if self.world is None:
            self.world = self.world_class()
        self.world.loop.run_until_complete(self.world.setup())
        self.hour, self.price = 0, np.float32(50.0)
        return self.look(), {}

    def look(self):
        self.demand = np.float32(self.np_random.uniform(20.0, 100.0))
        return np.array([self.price, self.demand], np.float32)

    def step(self, action):
        self.world.container.send("market", float(action[0]))
        bid = self.world.container.inboxes.pop("market")[-1]
        sold = bid < self.demand
        self.price = np.float32(bid if sold else self.demand)
        self.hour += 1
        return self.look(), float(bid if sold else 0.0), False, self.hour == 24, {}

    def close(self):
        if self.world is not None:
            self.world.close()
            self.world = None


class Cured(Bidding):
    world_class = LocalWorld
