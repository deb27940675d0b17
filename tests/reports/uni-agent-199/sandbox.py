"""A sandbox for each rollout: a container that is started and removed by commands."""

import asyncio
import sys
from pathlib import Path

DOCKER = [sys.executable, "-S", str(Path(__file__).with_name("docker.py"))]


async def docker(*arguments):
    process = await asyncio.create_subprocess_exec(*DOCKER, *arguments, stdout=-1)
    try:
        output, _ = await process.communicate()
    except asyncio.CancelledError:
        process.kill()
        await process.wait()
        raise
    return output.decode().strip()


class DockerSandbox:
    def __init__(self, image, seconds):
        self.image, self.seconds = image, seconds
        self.container_name = None

    async def start(self):
        self.container_name = await docker("run", self.image, str(self.seconds))

    async def stop(self):
        if self.container_name is not None:
            await docker("rm", self.container_name)
            self.container_name = None


class CuredSandbox(DockerSandbox):
    """The container is known as soon as it runs, also where its start was cancelled."""

    async def start(self):
        starting = asyncio.ensure_future(docker("run", self.image, str(self.seconds)))
        try:
            self.container_name = await asyncio.shield(starting)
        except asyncio.CancelledError:
            await docker("rm", await starting)
            raise
