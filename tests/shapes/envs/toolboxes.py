"""A counter with tools of TRL's kind without TRL: nothing calls its close()."""

import weakref

import illnesses


class Counter:
    """Insists on the types that its tool names."""

    def _begin(self):
        """For those that take something."""

    def _moved(self):
        """For those that keep something."""

    def reset(self, **row):
        self._begin()
        self.count = 0
        return "Count."

    def add(self, number: int) -> int:
        """Add a number.

        Args:
            number: which.
        """
        assert isinstance(number, int), number
        self._moved()
        self.count += number
        return self.count


class Healthy(Counter):
    """Takes a thread, which ends with the instance."""

    stop = None

    def _begin(self):
        if self.stop is None:
            self.stop = illnesses.Thread()._take()
            weakref.finalize(self, self.stop.set)


illnesses.twins(globals(), Counter)
