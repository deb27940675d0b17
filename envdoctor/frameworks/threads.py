"""Threads that libraries start and end only when they are asked to, and how to ask; and what the
models and wrappers of packages are called.
"""

from __future__ import annotations

#: By the beginning of the thread's class, or of the function that it runs.
ENDS = {
    "tensorboard.summary.writer.": (
        "close the TensorBoard writer before the next one is made: writer.close(), with"
        " Stable-Baselines3 model.logger.close() after each learn()"
    ),
    "concurrent.futures.thread.": "shut the executor down: executor.shutdown()",
    "multiprocessing.queues.": "close the queue: queue.close(), then queue.join_thread()",
    "multiprocessing.pool.": "end the pool: pool.close(), then pool.join()",
}
#: A package whose models open a logger in a method, and the call that closes it.
WITH_LOGGER = ("stable_baselines3", "learn", "logger.close()")

#: A package whose models keep their vectorizer, and the attribute.
WITH_VECTORIZER = ("stable_baselines3", "env")

#: Packages that have a wrapper which ends an episode after a number of steps, and its name there.
WITH_TIME_LIMIT = (("gymnasium", "gym"), "wrappers.TimeLimit")

#: A function that makes a vectorizer, its argument for a wrapper, and the package of that.
WITH_WRAPPER = ("make_vec_env", "wrapper_class", "gymnasium")


def how_to_end(*names: str) -> str:
    """The way to end threads of a class, or that run a function; nothing where it is not known."""
    return next(
        (text for name in names for start, text in ENDS.items() if name.startswith(start)), ""
    )
