"""What a learning algorithm logs, and the file of events that it writes it to."""

import os
import queue
import struct
import threading


class EventLoggerThread(threading.Thread):
    def __init__(self, events, waiting):
        super().__init__(daemon=True)
        self.events, self.waiting = events, waiting

    def run(self):
        while (event := self.waiting.get()) is not None:
            self.events.write(event)
            self.waiting.task_done()
        self.waiting.task_done()


class FileWriter:
    count = 0

    def __init__(self, folder):
        os.makedirs(folder, exist_ok=True)
        FileWriter.count += 1
        self.events = open(f"{folder}/events.out.tfevents.{FileWriter.count:04}", "ab")
        self.waiting = queue.Queue()
        self.thread = EventLoggerThread(self.events, self.waiting)
        self.thread.start()

    def add_summary(self, value, step):
        self.waiting.put(struct.pack("<qd", step, value))

    def flush(self):
        self.waiting.join()
        self.events.flush()

    def close(self):
        self.waiting.put(None)
        self.thread.join()
        self.events.close()


class TensorboardWriter:
    closes = False

    def __init__(self, tensorboard_log_path, tb_log_name):
        self.save_path = os.path.join(tensorboard_log_path, tb_log_name)
        self.writer = None

    def __enter__(self):
        self.writer = FileWriter(self.save_path)
        return self.writer

    def __exit__(self, exc_type, exc_val, exc_tb):
        if self.writer is not None:
            self.writer.add_summary(0.0, -1)
            self.writer.flush()
            if self.closes:
                self.writer.close()
