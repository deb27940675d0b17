"""From a line of a training script to one in which what it starts ends, and once, by values."""

from __future__ import annotations

import textwrap

import pytest

from envdoctor.model.training_aims import CloseMade, EndOnce
from tests.remedies.scripts import mended


def ended(kind: str, text: str, part: str, name: str = "") -> str:
    return mended(lambda place: EndOnce(place, kind, name), text, part)


def closed(text: str, part: str) -> str:
    return mended(CloseMade, text, part)


LEARNS = "from stable_baselines3 import A2C\nmodel = A2C('MlpPolicy')\nmodel.learn(\n    100,\n)\n"


def test_logger_is_closed_after_each_learning() -> None:
    assert ended("logger", LEARNS, "learn(") == f"{LEARNS}model.logger.close()\n"
    assert ended("logger", LEARNS.replace("stable_baselines3", "own"), "learn(") == ""
    assert ended("logger", LEARNS.replace("model.learn", "A2C().learn"), "learn(") == ""
    assert ended("logger", LEARNS, "A2C(") == ""


TWICE = (
    "env = Arm()\nvec = Vec([lambda: env])\nvec.reset()\nvec.close()\nif again:\n    env.close()\n"
)


def test_instance_is_closed_by_what_has_it() -> None:
    assert ended("again", TWICE, "= Arm(") == TWICE.partition("if again")[0]
    again = "env = Arm()\nenv.close()\nprint(1)\nenv.close()\n"
    assert ended("again", again, "= Arm(") == "env = Arm()\nenv.close()\nprint(1)\n"


@pytest.mark.parametrize(
    "text",
    [
        TWICE.replace("vec.close()\n", ""),
        TWICE.replace("    env.close()\n", "    print(env)\n"),
        TWICE.replace("Vec([lambda: env])", "Vec([lambda: Arm()])"),
        "env = Arm()\nif again:\n    env.close()\nenv.close()\n",
    ],
    ids=["closed once", "not by the script", "another instance", "in a branch"],
)
def test_close_that_may_be_the_only_one_stays(text: str) -> None:
    assert ended("again", text, "= Arm(") == ""


JOINS = (
    "results = context.Queue()\nworkers = start(results)\nfor worker in workers:\n"
    "    worker.join()\nprint(1)\nfound = [results.get() for _ in workers]\n"
)


def test_queue_is_read_before_workers_are_joined() -> None:
    assert ended("read", JOINS, ".join(") == (
        "results = context.Queue()\nworkers = start(results)\n"
        "found = [results.get() for _ in workers]\nfor worker in workers:\n"
        "    worker.join()\nprint(1)\n"
    )
    one = "results = Queue()\nworker.join()\nprint(results.get())\n"
    assert (
        ended("read", one, ".join(") == "results = Queue()\nprint(results.get())\nworker.join()\n"
    )


@pytest.mark.parametrize(
    "text",
    [
        JOINS.replace("print(1)", "workers = count()"),
        JOINS.replace("results.get()", "settings.get()"),
        JOINS.replace("    worker.join()", "    worker.join()\n    print(2)"),
        "worker.join()\n",
    ],
    ids=[
        "it needs what comes between",
        "another container",
        "more is done in the loop",
        "no queue",
    ],
)
def test_read_that_cannot_be_moved_stays(text: str) -> None:
    assert ended("read", text, ".join(") == ""


POOL = """
class Pool:
    def __init__(self):
        self.orders, self.results = Queue(), Queue()

    def take(self):
        return self.results.get()

    def close(self):
        for worker in self.workers:
            worker.join()
"""


def test_results_that_nothing_takes_are_drained() -> None:
    after = ended("read", POOL, ".join(")
    assert after.startswith("import queue\n")
    assert after.endswith(
        "        while any(worker.is_alive() for worker in self.workers):\n"
        "            try:\n                self.results.get(timeout=0.1)\n"
        "            except queue.Empty:\n                pass\n"
        "        for worker in self.workers:\n            worker.join()\n"
    )
    assert (
        ended(
            "read", POOL.replace("return self", "self.orders.get()\n        return self"), ".join("
        )
        == ""
    )
    assert ended("read", POOL.replace("self.workers", "queue"), ".join(") == ""


THREAD = """
class Predictor(Thread):
    def __init__(self, requests, agents):
        self.requests, self.agents = requests, agents

    def run(self):
        while not self.over:
            request = self.requests.get()
            if request is not None:
                self.answer(request)

class Server:
    def __init__(self):
        self.asked = Queue()
        self.predictors = [Predictor(self.asked, self.agents)]

    def stop(self):
        self.predictors[-1].over = True
        self.predictors[-1].join()
"""


def test_thread_that_knows_none_is_sent_it() -> None:
    put = "        self.asked.put(None)\n"
    join = "        self.predictors[-1].join()\n"
    assert ended("last", THREAD, ".join(") == THREAD.lstrip("\n").replace(join, put + join)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("if request is not None", "if request"),
        ("self.requests.get()", "self.agents.get(self.requests.get())"),
        ("[Predictor(self.asked", "[Predictor(Queue()"),
        (
            "        self.predictors[-1].join()",
            "        self.asked.put(None)\n        self.predictors[-1].join()",
        ),
        (
            "        self.predictors[-1].join()",
            "        if 1:\n            self.asked.put(None)\n        self.predictors[-1].join()",
        ),
        ("self.predictors =", "self.others ="),
    ],
    ids=[
        "None is as others",
        "of two queues",
        "a queue without a name",
        "it is sent",
        "it may be sent",
        "not known",
    ],
)
def test_thread_that_may_not_end_by_none_is_sent_nothing(old: str, new: str) -> None:
    assert ended("last", THREAD.replace(old, new), ".join(") == ""


VECTORIZER = """
class Vec:
    def close(self):
        self.closed = True

    def end(self):
        self.pipe.close()

    def __del__(self):
        self.end()

vec = Vec()
"""


def test_close_does_what_only_the_destructor_does() -> None:
    done = VECTORIZER.lstrip("\n")
    line = "        self.closed = True\n"
    assert ended("destructor", VECTORIZER, "= Vec(", "Vec") == done.replace(
        line, f"{line}        self.end()\n"
    )
    nothing = VECTORIZER.replace("self.closed = True", "pass")
    assert ended("destructor", nothing, "= Vec(", "Vec") == done.replace(
        line, "        self.end()\n"
    )


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("        self.end()\n\nvec", "        self.close()\n\nvec"),
        ("        self.end()\n\nvec", "        self.pipe.close()\n\nvec"),
        ("self.closed = True", "self.end()"),
        ("self.closed = True", "if wanted:\n            self.end()"),
        ("close(self):\n        self.closed = True", "close(self): self.closed = True"),
        ("def __del__", "def stop"),
    ],
    ids=[
        "it calls close()",
        "both do something",
        "close() does it",
        "close() may do it",
        "on one line",
        "there is none",
    ],
)
def test_close_stays_where_the_destructor_says_nothing_else(old: str, new: str) -> None:
    assert ended("destructor", VECTORIZER.replace(old, new), "= Vec(", "Vec") == ""


DESTRUCTOR = """
class Vec:
    def close(self):
        pass

    def __del__(self):
        for process in self.processes:
            process.join()

vec = Vec()
"""


def test_close_that_does_nothing_does_all_of_the_destructor_once() -> None:
    after = ended("destructor", DESTRUCTOR, "= Vec(", "Vec")
    assert after == DESTRUCTOR.lstrip("\n").replace(
        "        pass\n",
        '        if not getattr(self, "_is_closed", False):\n'
        "            self._is_closed = True\n"
        "            for process in self.processes:\n                process.join()\n",
    ).replace(
        "        for process in self.processes:\n            process.join()\n\nvec",
        "        self.close()\n\nvec",
    )
    described = DESTRUCTOR.replace("        pass", '        """Ends it."""')
    assert '"""Ends it."""\n        if not getattr' in ended(
        "destructor", described, "= Vec(", "Vec"
    )


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("pass", "self.is_over = True"),
        ("close(self)", "close(self, timeout)"),
        ("            process.join()", "            self.close()"),
        ("            process.join()", "            return"),
        ("            process.join()", "            super().__del__()"),
        ("vec = Vec()", "vec = Vec()\nvec._is_closed = None"),
        ("    def close", '    __slots__ = ("processes",)\n\n    def close'),
    ],
    ids=["it acts", "an argument", "it is called", "it returns", "a base", "name", "slots"],
)
def test_destructor_that_cannot_move_stays(old: str, new: str) -> None:
    assert ended("destructor", DESTRUCTOR.replace(old, new), "= Vec(", "Vec") == ""


TRAINER = """
class Writer:
    def __init__(self):
        self.thread = make_thread()

class Trainer:
    def __init__(self, make, slots):
        self.envs = [make() for _ in range(slots)]
        self.first = Arm()

def train():
    trainer = Trainer(Arm, 3)
    trainer.train()
"""
CLOSES = "    def close(self):\n        pass\n\n"


def test_parts_of_an_object_are_closed_where_it_is_made() -> None:
    assert closed(TRAINER, "= [make(").endswith(
        "    try:\n        trainer.train()\n    finally:\n"
        "        for env in trainer.envs:\n            env.close()\n"
    )
    assert closed(TRAINER, "= Arm(").endswith("    finally:\n        trainer.first.close()\n")
    conditional = (
        f"{TRAINER}    if wanted:\n        for env in trainer.envs:\n            env.close()\n"
    )
    assert closed(conditional, "= [make(") == ""


def test_object_that_has_a_close_is_closed_by_it() -> None:
    with_close = TRAINER.replace("def train():", f"{CLOSES}def train():")
    assert closed(with_close, "= [make(").endswith("    finally:\n        trainer.close()\n")
    owned = with_close.replace("self.first = Arm()", "self.first = Writer()").replace(
        "class Trainer", f"{CLOSES}class Trainer"
    )
    assert closed(owned, "= make_thread(").endswith("    finally:\n        trainer.close()\n")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("trainer.train()", "trainer.train()\n    return trainer"),
        ("trainer.train()", "trainer.train()\n    trainer.envs[0].close()"),
        ("    trainer.train()", "    trainer.train()\n    other = Trainer(Arm, 2)"),
        ("trainer = Trainer(Arm, 3)", "Trainer(Arm, 3)"),
        ("__init__(self, make", "start(self, make"),
    ],
    ids=[
        "it is returned",
        "one is closed",
        "there are two",
        "it has no name",
        "not when it is made",
    ],
)
def test_parts_that_may_be_used_later_stay_open(old: str, new: str) -> None:
    assert closed(TRAINER.replace(old, new), "= [make(") == ""


PLAYS = "def play(env, seed):\n    env.reset(seed=seed)\n    return 1\n\ndef score(seed):\n    return play(make(), seed)\n"


def test_argument_that_a_call_makes_is_closed_after_it() -> None:
    assert closed(PLAYS, "make()").endswith(
        "def score(seed):\n    env = make()\n    try:\n        return play(env, seed)\n"
        "    finally:\n        env.close()\n"
    )


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("return 1", "return env"),
        ("return 1", "env.close()"),
        ("return 1", "POOL.append(env)"),
        ("def play", "def other"),
        ("(make(), seed)", "(make(), make())"),
        ("    return play(make", "    if 1: return play(make"),
    ],
    ids=["returned", "closed", "kept", "not of the script", "two", "on the line of another"],
)
def test_argument_that_may_be_kept_stays_open(old: str, new: str) -> None:
    assert closed(PLAYS.replace(old, new), "make(),") == ""


TRIES = """
def main():
    env = Arm()
    try:
        play(env)
        env.close()
    except KeyboardInterrupt:
        print("stopped")
        if env is not None:
            env.close()
"""


def test_close_at_the_end_of_a_try_goes_to_its_finally() -> None:
    assert closed(TRIES, "= Arm(") == textwrap.dedent(
        """\
        def main():
            env = Arm()
            try:
                play(env)
            except KeyboardInterrupt:
                print("stopped")
            finally:
                env.close()
        """
    )
    used = f"{TRIES}    env.reset()\n"
    assert closed(used, "= Arm(") == ""
    wanted = TRIES.replace("env is not None", "wanted")
    assert closed(wanted, "= Arm(") == ""
    alone = TRIES.replace('        print("stopped")\n', "")
    assert closed(alone, "= Arm(") == ""


EXITS = """
import atexit
import sys

def shut_down():
    server.stop(now)

def main():
    atexit.register(shut_down, 3)
    play()
"""


def test_handler_of_the_exit_is_called_where_the_script_ends() -> None:
    after = ended("exit", EXITS, "server.stop", "shut_down")
    assert after.startswith("import sys\n")
    assert after.endswith(
        "def main():\n    try:\n        play()\n    finally:\n        shut_down(3)\n"
    )
    bound = EXITS.replace("(shut_down, 3)", "(server.shut_down)")
    assert ended("exit", bound, "server.stop", "shut_down").endswith("server.shut_down()\n")
    twice = f"{EXITS}    atexit.register(print)\n"
    assert "import atexit" in ended("exit", twice, "server.stop", "shut_down")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("    play()\n", ""),
        ("    play()\n", "    return play()\n"),
        ("register(shut_down", "register(other"),
        ("register(shut_down, 3)", "register(shut_down, now=3)"),
        (
            "atexit.register(shut_down, 3)\n    play()",
            "atexit.register(made.shut_down)\n    made = 1",
        ),
    ],
    ids=["nothing follows", "it returns", "another handler", "by keyword", "bound anew"],
)
def test_handler_that_cannot_be_called_earlier_stays(old: str, new: str) -> None:
    assert ended("exit", EXITS.replace(old, new), "server.stop", "shut_down") == ""


KEPT = """
from stable_baselines3 import PPO
envs = make_vec_env("Arm-v0")
model = PPO("MlpPolicy", envs, seed=1)
model.learn(256)
envs.close()
models.append(model)
"""


def test_model_lets_go_of_a_vectorizer_that_is_closed() -> None:
    assert ended("kept", KEPT, "make_vec") == KEPT.lstrip("\n").replace(
        "envs.close()\n", "envs.close()\nmodel.env = None\n"
    )


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("from stable_baselines3", "from own"),
        ('"MlpPolicy", envs', '"MlpPolicy", others'),
        ("envs.close()\n", ""),
        ("model.learn", "other = PPO(envs)\nmodel.learn"),
    ],
    ids=["another package", "another vectorizer", "not closed", "two models"],
)
def test_model_keeps_what_it_may_use(old: str, new: str) -> None:
    assert ended("kept", KEPT.replace(old, new), "make_vec") == ""
