"""A browser that is driven without coroutines: its calls return from within an event loop."""

import asyncio


class Browser:
    def start(self):
        if asyncio._get_running_loop() is not None:
            raise RuntimeError("the synchronous API is used inside an asyncio loop")
        self.loop = asyncio.new_event_loop()
        asyncio._set_running_loop(self.loop)
        return self

    def click(self, count):
        answer = self.loop.create_task(self._clicked(count))
        while not answer.done():
            self.loop._run_once()
        return answer.result()

    async def _clicked(self, count):
        await asyncio.sleep(0)
        return count + 1

    def stop(self):
        asyncio._set_running_loop(None)
        self.loop.close()
