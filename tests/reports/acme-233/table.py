"""A table of a replay server, whose rate limiter couples samples to inserts."""

import random
import threading
import time


class Table:
    def __init__(self, min_size, samples_per_insert):
        self.min_size, self.samples_per_insert = min_size, samples_per_insert
        self.items, self.completed = [], 0
        self.changed = threading.Condition()
        self.generator = random.Random(1)

    def insert(self, item):
        with self.changed:
            self.items.append(item)
            self.changed.notify_all()

    def can_sample(self, count):
        if len(self.items) < self.min_size:
            return False
        return self.completed + count <= len(self.items) * self.samples_per_insert

    def sample(self):
        with self.changed:
            while not self.can_sample(1):
                self.changed.wait()
            self.completed += 1
            item = self.generator.choice(self.items)
        time.sleep(0.004)  # the way to the client
        return item
