"""An iterator of batches, which a thread samples ahead."""

import queue
import threading


class PrefetchingIterator:
    def __init__(self, table, batch_size, buffer_size=1):
        self.table, self.batch_size = table, batch_size
        self.buffer = queue.Queue(buffer_size)
        self.retrieved = 0
        threading.Thread(target=self.prefetch, name="prefetch", daemon=True).start()

    def prefetch(self):
        while True:
            self.buffer.put([self.table.sample() for _ in range(self.batch_size)])

    def ready(self):
        return not self.buffer.empty()

    def __next__(self):
        batch = self.buffer.get()
        self.retrieved += 1
        return batch
