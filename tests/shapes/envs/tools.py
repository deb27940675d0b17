"""Environments of tools: reset(), and documented methods that a model calls."""

import subprocess
import sys

SLEEPING = (sys.executable, "-I", "-S", "-c", "import time; time.sleep(600)")


class Healthy:
    """Counts what it is told."""

    def reset(self, **row):
        self.told = 0
        return "Count."

    def tell(self, text: str, times: int = 1) -> str:
        """Tell it something.

        Args:
            text: what is told.
            times: how often.
        """
        self.told += times
        return f"{self.told}: {text}"

    def divide(self, by: int) -> float:
        """Divide: by 0 it raises, which the model reads.

        Args:
            by: a number.
        """
        return self.told / by


class Shell(Healthy):
    """Starts a process, which only its close() ends: a tool, that nothing else calls."""

    process = None

    def reset(self, **row):
        if self.process is None:
            self.process = subprocess.Popen(SLEEPING)
        return super().reset(**row)

    def close(self):
        """End it."""
        self.process.kill()
        self.process.wait()


class Insisting(Healthy):
    """Its reset() needs a row of the dataset."""

    def reset(self, question):
        return question


class Untyped:
    """Nothing says what its tool takes."""

    def reset(self):
        return "Say it."

    def say(self, text):
        """Say it."""
