"""From a line of a training script to one whose processes end with their parent, start while their
pipes are open, make what they play, and take as many results as there are, by values.
"""

from __future__ import annotations

import pytest

from envdoctor.model.training_aims import CloseMade, EndOnce, FailureKind, MendFailure
from tests.remedies.scripts import mended


def orphan(text: str) -> str:
    return mended(lambda place: EndOnce(place, "parent"), text, "Process(")


def without(kind: FailureKind, text: str, part: str) -> str:
    return mended(lambda place: MendFailure(place, kind), text, part)


PLAYS = """
import multiprocessing as mp

def play(number, results):
    env = Arm()
    env.reset(seed=number)
    while True:
        results.put(env.step(0))

def main():
    results = mp.Queue(9)
    mp.Process(target=play, args=(3, results)).start()
"""


def test_worker_ends_where_its_parent_is_gone() -> None:
    assert (
        "    while True:\n"
        "        if not mp.parent_process().is_alive():\n"
        "            results.cancel_join_thread()\n"
        "            env.close()\n"
        "            return\n"
        "        results.put(env.step(0))\n"
    ) in orphan(PLAYS)


def test_worker_with_an_end_of_its_own_goes_there() -> None:
    ends = PLAYS.replace("(env.step(0))\n", "(env.step(0))\n    env.close()\n")
    ends = ends.replace("mp.Queue(9)", "Lines()")
    assert "is_alive():\n            break\n" in orphan(ends)
    named = PLAYS.replace("import multiprocessing as mp", "from multiprocessing import Process")
    named = named.replace("mp.Queue(9)", "queue").replace("mp.Process", "Process")
    assert orphan(named).startswith("import multiprocessing\nfrom multi") or (
        "import multiprocessing\n" in orphan(named)
    )


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("while True:", "while number:"),
        ("while True:", "while mp.parent_process().is_alive():"),
        ("    while True:\n", "    for _ in range(9):\n      while True:\n"),
        ("target=play", "target=other"),
        ("mp.Process", "Thread"),
    ],
    ids=["it ends", "it looks already", "a loop in a loop", "another function", "no process"],
)
def test_other_workers_stay(old: str, new: str) -> None:
    text = PLAYS.replace(old, new).replace("Thread(target", "Thread(Process(), target")
    text = text.replace("        results.put", "          results.put") if "for _" in new else text
    assert orphan(text) == ""


TAKES = """
import multiprocessing as mp

def work(number, pipe):
    \"\"\"Play.\"\"\"
    while pipe.recv():
        pipe.send(number)

def main():
    mp.Process(target=work, args=(3, ours)).start()
"""


def interrupted(text: str) -> str:
    return mended(lambda place: EndOnce(place, "interrupt"), text, "Process(")


def test_worker_leaves_ctrl_c_to_its_trainer() -> None:
    text = interrupted(TAKES)
    assert text.startswith("import multiprocessing as mp\nimport signal\n")
    line = "    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the trainer ends it\n"
    assert f'    """Play."""\n{line}    while pipe.recv():\n' in text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("while pipe.recv():", "while True:"),
        ("pipe.send(number)", "signal.signal(signal.SIGINT, stop)"),
        ("target=work", "target=other"),
    ],
    ids=["it takes no orders", "it has a handler", "another function"],
)
def test_worker_that_ctrl_c_is_to_end_stays(old: str, new: str) -> None:
    assert interrupted(TAKES.replace(old, new)) == ""


STARTS = """
class Envs:
    def __init__(self, number):
        self.ours, self.theirs = pipes(number)
        for index in range(number):
            process = Process(target=self.run, args=(index,))
            process.start()
            self.theirs[index].close()
"""


def test_pipes_of_a_bound_method_are_closed_after_all_starts() -> None:
    assert without("handle", STARTS, "start()").endswith(
        "            process.start()\n"
        "        for index in range(number):\n"
        "            self.theirs[index].close()\n"
    )


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("target=self.run", "target=run"),
        ("self.theirs[index].close()", "self.theirs[index].send(1)"),
        ("self.theirs[index].close()", "process.close()"),
        ("range(number)", "iter(self.theirs)"),
    ],
    ids=["a function", "it is used", "of the process", "gone through once"],
)
def test_pipe_that_no_further_process_gets_is_closed_there(old: str, new: str) -> None:
    assert without("handle", STARTS.replace(old, new), "start()") == ""


FORKS = '''
import multiprocessing as mp
from arm import Arm

def play(env, number):
    """Play."""
    env.step(number)

def main():
    env = Arm(3)
    env.reset(seed=0)
    process = mp.Process(target=play, args=(env, 5))
    process.start()
'''


def test_process_makes_what_it_plays() -> None:
    assert without("process", FORKS, "Arm(") == (
        "import multiprocessing as mp\nfrom arm import Arm\n\n"
        "def play(number):\n"
        '    """Play."""\n'
        "    env = Arm(3)\n    env.reset(seed=0)\n    env.step(number)\n\n"
        "def main():\n"
        "    process = mp.Process(target=play, args=(5,))\n    process.start()\n"
    )


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("process.start()", "process.start()\n    env.close()"),
        ("Arm(3)", "Arm(size)"),
        ("def play(env", "def play(arm"),
        ("target=play", "target=other"),
        ("    process.start()", "    play(None, 1)"),
        ("def play(env, number)", "def play(env, number=1)"),
    ],
    ids=["used after", "of a variable", "another name", "not known", "called", "a default"],
)
def test_process_does_not_make_what_another_may_need(old: str, new: str) -> None:
    text = FORKS.replace(old, new).replace("def main():", "def main(size):")
    assert without("process", text, "Arm(") == ""


BATCH = """
class Envs:
    def receive(self, count):
        return dict(self.results.get() for _ in range(count))

    def reset(self, indices):
        for index in indices:
            self.orders.put(index)
        self.receive(self.size)
"""


def test_as_many_results_are_taken_as_orders_were_given() -> None:
    assert without("orders", BATCH, "get()") == BATCH.lstrip("\n").replace(
        "self.size", "len(indices)"
    )


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("for index in indices", "for index in enumerate(indices)"),
        ("self.orders.put(index)", "self.orders.put(index)\n            self.orders.put(0)"),
        ("self.receive(self.size)", "self.wait()\n        self.receive(self.size)"),
        ("range(count)", "range(9)"),
        ("self.receive(self.size)", "self.receive(self.size, 1)"),
    ],
    ids=["not counted", "two orders each", "something between", "always as many", "more is said"],
)
def test_other_numbers_of_results_stay(old: str, new: str) -> None:
    assert without("orders", BATCH.replace(old, new), "get()") == ""


MONITORED = """
import gymnasium as gym

STEPS = 60

class Monitor(gym.Wrapper):
    def reset(self):
        raise Error("not done")

def main():
    env = Monitor(gym.make("Arm-v0"))
    for episode in range(9):
        env.reset()
        for _ in range(STEPS):
            if env.step(0)[2]:
                break
"""


def test_episode_ends_where_its_loop_gives_it_up() -> None:
    limited = 'Monitor(gym.wrappers.TimeLimit(gym.make("Arm-v0"), STEPS))'
    assert limited in without("limit", MONITORED, "raise")
    assert ", 60))\n    for" in without("limit", MONITORED.replace("(STEPS)", "(60)"), "raise")


LEFT_BEFORE = """            if env.step(0)[2]:
                break
            if {test}:
                {gives_up}
"""


@pytest.mark.parametrize(
    ("test", "gives_up", "limit"),
    [
        ("number >= 20", "break", "20"),
        ("number >= LEAST", "over = True", "LEAST"),
        ("number > 20", "break", "STEPS"),
        ("number >= 20", "print(number)", "STEPS"),
        ("number >= env.least", "break", ""),
    ],
)
def test_loop_that_is_left_before_says_so(test: str, gives_up: str, limit: str) -> None:
    text = MONITORED.replace("for _ in", "for number in").replace("STEPS =", "LEAST, STEPS = 5,")
    text = text.rpartition("            if env")[0] + LEFT_BEFORE.format(
        test=test, gives_up=gives_up
    )
    limited = without("limit", text, "raise")
    assert f", {limit}))\n    for" in limited if limit else limited == ""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("STEPS = 60", "STEPS = 60\nSTEPS += 1"),
        ("range(STEPS)", "range(env.steps)"),
        ("for _ in range(STEPS):", "while True:"),
        ('Monitor(gym.make("Arm-v0"))', "Monitor(TimeLimit(make(), 90))"),
        ("import gymnasium as gym", "import other as gym"),
        (
            "                break\n",
            "                break\n    while env.step(1)[2]:\n        pass\n",
        ),
    ],
    ids=["it changes", "not constant", "no number", "a limit already", "no library", "two loops"],
)
def test_limit_that_the_loop_does_not_say_is_not_guessed(old: str, new: str) -> None:
    assert without("limit", MONITORED.replace(old, new), "raise") == ""


KEEPS = """
kept = []

class Trainer:
    def __init__(self):
        self.history = []

    def collect(self):
        env = make()
        env.reset()
        self.history.append({"env": env})
        kept.append(env)
"""


def test_lists_that_nothing_reads_keep_nothing() -> None:
    assert mended(CloseMade, KEEPS, "make()").endswith(
        "            kept.append(env)\n        finally:\n            env.close()\n"
    )


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("class Trainer:", "class Trainer(Base):"),
        ("        kept.append(env)\n", "        kept.append(env)\n\nprint(kept)\n"),
        ("        kept.append(env)\n", "\n    def last(self):\n        return self.history[-1]\n"),
        ("        kept.append(env)\n", "\ndef last(trainer):\n    return trainer.history\n"),
        ("        kept.append(env)\n", '\ndef last(x):\n    return getattr(x, "history")\n'),
        ("self.history = []", "self.history = old"),
    ],
    ids=["inherits", "of the module", "by itself", "by another", "by its name", "not its own"],
)
def test_list_that_may_be_read_keeps_what_it_has(old: str, new: str) -> None:
    assert mended(CloseMade, KEEPS.replace(old, new), "make()") == ""


TRIAL = """
import multiprocessing as mp

ACTORS = {}

def act(pipe):
    while pipe.recv():
        pipe.send(1)

def trial(name):
    actors = []
    for _ in range(2):
        ours, theirs = mp.Pipe()
        process = mp.Process(target=act, args=(theirs,))
        process.start()
        actors.append((process, ours))
    ACTORS[name] = actors
    play(3)
"""


def test_workers_of_a_loop_are_asked_to_end_and_joined() -> None:
    ending = (
        "    finally:\n"
        "        for process, ours in actors:\n"
        "            ours.send(False)\n"
        "            process.join()\n"
        "            process.close()\n"
        "            ours.close()\n"
    )
    after = mended(CloseMade, TRIAL, "Process(")
    assert after.endswith(f"{ending}        ACTORS.pop(name, None)\n")
    last = TRIAL.replace("while pipe.recv()", "for _ in iter(pipe.recv, None)")
    last = last.replace("    ACTORS[name] = actors\n", "")
    assert mended(CloseMade, last, "Process(").endswith(ending.replace("False", "None"))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("    play(3)\n", "    play(3)\n\ndef last():\n    return ACTORS\n"),
        ("    play(3)\n", "    play(actors)\n"),
        ("    play(3)\n", "    return actors\n"),
        ("    play(3)\n", "    actors[0][0].join()\n"),
        ("while pipe.recv():", "while True:"),
        ("append((process, ours))", "append(process)"),
        ("append((process, ours))", "append((process, other))"),
        ("ACTORS[name] = actors", "self.actors = actors"),
    ],
    ids=["read", "given", "returned", "joined", "no end", "no pipe", "another pipe", "kept"],
)
def test_workers_that_may_be_needed_go_on(old: str, new: str) -> None:
    assert mended(CloseMade, TRIAL.replace(old, new), "Process(") == ""


HANDED = """
from arm import Arm

def work(pipe, env):
    pipe.send(env.reset())

class Envs:
    def __init__(self, envs):
        self.env = envs[0]
        for env in envs[1:]:
            Process(target=work, args=(pipe, env)).start()

def main():
    envs = []
    for _ in range(3):
        envs.append(Arm())
    Envs(envs).play()
"""


def test_workers_make_the_environments_that_a_list_handed_to_them() -> None:
    assert without("process", HANDED, "Arm()") == (
        HANDED.lstrip("\n")
        .replace("env):\n", "env):\n    env = env()\n")
        .replace("envs[0]", "envs[0]()")
        .replace("Arm()", "Arm")
    )


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("append(Arm())", "append(Arm(3))"),
        ("Envs(envs).play()", "Envs(envs).play(envs)"),
        ("Envs(envs)", "Others(envs)"),
        ("args=(pipe, env)", "args=(pipe, env.unwrapped, env)"),
        ("self.env = envs[0]", "self.envs = envs"),
        ("target=work", "target=other"),
        ("def work(pipe, env)", "def work(pipe, arm)"),
    ],
    ids=["arguments", "used", "not known", "used twice", "kept", "no function", "another name"],
)
def test_environments_that_are_used_otherwise_are_made_there(old: str, new: str) -> None:
    assert without("process", HANDED.replace(old, new), "Arm(") == ""


SENT = """
from arm import Arm

def work(pipe, env):
    pipe.send(env.reset())

class Envs:
    def __init__(self, envs):
        for env in envs:
            Process(target=work, args=(pipe, env)).start()

def main():
    Envs([Arm() for _ in range(3)]).play()
"""


def sent(text: str) -> str:
    return mended(lambda place: MendFailure(place, "sent", "Arm"), text, "start()")


def test_instance_that_cannot_be_sent_is_made_where_it_is_played() -> None:
    made = SENT.lstrip("\n").replace("env):\n", "env):\n    env = env()\n")
    assert sent(SENT) == made.replace("Arm()", "Arm")
    several = SENT.replace("[Arm() for _ in range(3)]", "[Arm(3), Arm(size=4)]")
    text = sent(several)
    assert "Envs([functools.partial(Arm, 3), functools.partial(Arm, size=4)])" in text
    assert "import functools\n" in text
    called = SENT.replace(
        "    pipe.send", "    env = env() if callable(env) else env\n    pipe.send"
    )
    assert "    env = env()\n" not in sent(called)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Arm() for", "make() for"),
        ("            Process", "            env.reset()\n            Process"),
        ("target=work", "target=other"),
        ("__init__", "start_all"),
    ],
    ids=["another class", "it is used before", "no function", "not in a constructor"],
)
def test_instance_that_is_not_only_sent_stays(old: str, new: str) -> None:
    assert sent(SENT.replace(old, new)) == ""


POOLED = """
{imported}

def main():
    envs = [Arm()]
    {pool}
        results = pool.starmap(step, zip(envs, actions))
"""


def pooled(imported: str, pool: str) -> str:
    text = POOLED.format(imported=imported, pool=pool)
    return mended(lambda place: MendFailure(place, "sent", "Arm"), text, "starmap")


def test_threads_play_instances_that_cannot_be_sent() -> None:
    by_module = pooled("import multiprocessing as mp", "with mp.Pool(4) as pool:")
    assert "import multiprocessing.pool\n" in by_module
    assert "    with mp.pool.ThreadPool(4) as pool:\n" in by_module
    by_name = pooled("from multiprocessing import Pool", "with Pool() as pool:")
    assert "from multiprocessing.pool import ThreadPool\n" in by_name
    assert "    with ThreadPool() as pool:\n" in by_name


@pytest.mark.parametrize(
    ("imported", "pool"),
    [
        ("from multiprocessing import Pool", "with Pool(initializer=begin) as pool:"),
        ("from multiprocessing import Pool", "with Pool(4) as other:"),
        ("from ray.util.multiprocessing import Pool", "with Pool(4) as pool:"),
        ("from multiprocessing import Pool", "if pool:"),
    ],
    ids=["more is done in them", "another pool", "another library", "not known"],
)
def test_other_pools_stay(imported: str, pool: str) -> None:
    assert pooled(imported, pool) == ""


OF_THREAD = """
import threading

LOCAL = threading.local()

def context():
    if not hasattr(LOCAL, "context"):
        LOCAL.context = Context()
    return LOCAL.context

def draw():
    crash()
"""


def test_each_has_its_own_of_what_belonged_to_a_thread() -> None:
    text = without("thread", OF_THREAD, "crash()")
    assert text == "def context():\n    return Context()\n\ndef draw():\n    crash()\n"
    kept = without("thread", f"{OF_THREAD}    LOCAL.other = 3\n", "crash()")
    assert "LOCAL = threading.local()" in kept
    assert "    return Context()\n" in kept


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("threading.local()", "Namespace()"),
        ("return LOCAL.context", "return LOCAL.other"),
        ("LOCAL.context = Context()", "LOCAL.context = DEFAULT"),
        ("    return", "    count()\n    return"),
    ],
    ids=["no thread's", "another attribute", "not made there", "it does more"],
)
def test_functions_that_keep_nothing_for_a_thread_stay(old: str, new: str) -> None:
    assert without("thread", OF_THREAD.replace(old, new), "crash()") == ""
