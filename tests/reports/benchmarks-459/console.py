"""The console that all parts of an evaluation print to; a thread keeps its last line alive."""

import sys
import threading
import time


class Console:
    def __init__(self):
        self.lock = threading.RLock()
        self.lines = 0

    def print(self, text):
        with self.lock:
            self.lines += 1
            sys.stderr.write(f"{text}\n")

    def start_progress(self):
        threading.Thread(target=self.refresh, name="progress", daemon=True).start()

    def refresh(self):
        while True:
            with self.lock:
                self.draw()

    def draw(self):
        """A slow terminal takes a frame."""
        sys.stderr.write("")
        time.sleep(0.05)


console = Console()
