"""The words of chains for what no module leads to, and for the handlers of a logger: the probe
writes them, rules and remedies read them.
"""

from __future__ import annotations

import re

AT_EXIT = "atexit.register(%s)"
HANDLER = "signal.getsignal(%s)"
RESULTS = ".<lru_cache>"  # from a cached function to what is kept of its calls

#: The function that is called at the exit, and the way on from there.
BY_AT_EXIT = re.compile(r"atexit\.register\(([^)]+)\)(.*)")
#: The name of the signal.
BY_HANDLER = re.compile(r"signal\.getsignal\((\w+)\).*")
#: The container that has a method of the instance among its members, and how it has it.
BY_METHOD = re.compile(r"([\w.]+)(\[.+\]|\.<member>)\.__self__")
#: The cached function.
BY_CACHE = re.compile(r"(.+?)\.<lru_cache>.*")
FIGURES = "matplotlib._pylab_helpers.Gcf.figs"  # those of pyplot
LOG_HANDLERS = re.compile(r"logging\..*\.handlers")
