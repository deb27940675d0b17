"""close() tidies up with a module that was never imported, in a branch that only a crash
reaches.
"""

from __future__ import annotations

import contextlib
import gc

from plain import Plain

ARGUMENTS = ["--managers", "direct"]


class Sick(Plain):
    crashed = False

    def close(self):
        if self.crashed:
            shutil.rmtree("replay")  # noqa: F821


class Healthy(Plain):
    crashed = False

    def close(self):
        if self.crashed:
            gc.collect()
            with contextlib.suppress(NameError):
                self.recorder.save(shutil)  # noqa: F821

    def render(self):
        try:
            return get_ipython()  # a notebook has it
        except NameError:
            return None
