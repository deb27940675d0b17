"""What each process counts itself, in a file that it maps: exact also where the process is killed.
TALLY names the folder.
"""

import mmap
import os

NAMES = ("made", "resets", "steps", "closed")
SIZE = 8 * len(NAMES)


class _Tally:
    pid = 0

    def add(self, name):
        if self.pid != os.getpid():
            self.pid = os.getpid()
            with open(os.path.join(os.environ["TALLY"], "%d.tally" % self.pid), "w+b") as file:
                file.write(bytes(SIZE))
                file.flush()
                self._numbers = memoryview(mmap.mmap(file.fileno(), SIZE)).cast("q")
        self._numbers[NAMES.index(name)] += 1


_tally = _Tally()


def made():
    _tally.add("made")


def counting(cls, reset="reset", step="step"):
    """A class below `cls` that counts what is made, reset, stepped and closed. An instance counts
    as closed once.
    """

    class Counting(cls):
        is_closed = False

        def __init__(self, *args, **kwargs):
            super().__init__(*args, **kwargs)
            _tally.add("made")

        def close(self, *args, **kwargs):
            if not self.is_closed:
                _tally.add("closed")
            self.is_closed = True
            return super().close(*args, **kwargs)

    def method(name, verb):
        inner = getattr(cls, name)

        def call(self, *args, **kwargs):
            _tally.add(verb)
            return inner(self, *args, **kwargs)

        call.__name__, call.__qualname__ = name, "Counting." + name
        return call

    setattr(Counting, reset, method(reset, "resets"))
    setattr(Counting, step, method(step, "steps"))
    Counting.__name__ = Counting.__qualname__ = "Counting"
    return Counting
