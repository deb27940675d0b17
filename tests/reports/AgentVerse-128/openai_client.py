"""A client of a language model, whose connection stays open as that of an HTTP library does, and a
server that answers it.
"""

import asyncio
import threading


class Completions:
    def __init__(self, client):
        self.client = client

    async def create(self, prompt):
        return await self.client.post(prompt)


class AsyncOpenAI:
    """Closed by aclose(), or by `async with`. Where that is forgotten, __del__ closes it in the loop
    that runs then.
    """

    def __init__(self, port):
        self.port, self.writer = port, None
        self.completions = Completions(self)

    async def post(self, prompt):
        if self.writer is None:
            self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port)
        self.writer.write(prompt.encode() + b"\n")
        await self.writer.drain()
        return (await self.reader.readline()).decode().strip()

    async def aclose(self):
        if self.writer is not None and not self.writer.is_closing():
            self.writer.close()
            await self.writer.wait_closed()

    async def __aenter__(self):
        return self

    async def __aexit__(self, *exception):
        await self.aclose()

    def __del__(self):
        try:
            asyncio.get_running_loop().create_task(self.aclose())
        except Exception:
            pass


async def answer(reader, writer):
    while line := await reader.readline():
        writer.write(b"agree: " + line)
        await writer.drain()
    writer.close()


def serve():
    """Start a server in a thread, and return its port."""
    ready, ports = threading.Event(), []

    async def run():
        server = await asyncio.start_server(answer, "127.0.0.1", 0)
        ports.append(server.sockets[0].getsockname()[1])
        ready.set()
        await server.serve_forever()

    threading.Thread(target=lambda: asyncio.run(run()), daemon=True).start()
    ready.wait(10)
    return ports[0]
