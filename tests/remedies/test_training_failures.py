"""From a line that ended a training to a script that goes on, by values."""

from __future__ import annotations

import pytest

from envdoctor.model.errors import Frame
from envdoctor.model.finding import Location
from envdoctor.model.training import Handed
from envdoctor.model.training_aims import FailureKind, MendFailure
from envdoctor.model.training_errors import BASE, LAYER, REGISTRAR, ErrorDetail
from envdoctor.model.training_instances import Raised
from envdoctor.rules.remedies.training_failures import leave_open, mend_failure
from tests.remedies.scripts import mended


def without(kind: FailureKind, text: str, part: str, name: str = "") -> str:
    return mended(lambda place: MendFailure(place, kind, name), text, part)


UNGUARDED = "from env import Pole, Vec\n\nSEED = 3\nenvs = Vec([Pole])\nenvs.reset()\n"


def test_work_of_a_script_goes_below_a_guard() -> None:
    assert without("guard", UNGUARDED, "Vec([") == (
        "from env import Pole, Vec\n\nSEED = 3\n"
        'if __name__ == "__main__":\n    envs = Vec([Pole])\n    envs.reset()\n'
    )


def test_argument_with_the_name_of_a_variable_is_not_that() -> None:
    text = "from env import Vec\n\ndef play(envs):\n    more = envs\n\nenvs = Vec([])\nplay(envs)\n"
    assert 'if __name__ == "__main__":\n    envs = Vec([])\n' in without("guard", text, "= Vec(")
    assert without("guard", text.replace("    more", "    global more\n    more"), "= Vec(")
    shared = text.replace("(envs):\n    more = envs", "():\n    global envs\n    envs = 3")
    assert without("guard", shared, "= Vec(") == ""


def test_registration_stays_above_the_guard() -> None:
    text = UNGUARDED.replace("SEED = 3", 'register("Pole-v0")')
    assert without("guard", text, "Vec([").startswith(
        'from env import Pole, Vec\n\nregister("Pole-v0")\nif __name__'
    )


@pytest.mark.parametrize(
    "text",
    [
        UNGUARDED + "print(__name__)\n",
        UNGUARDED + 'print("""two\nlines""")\n',
        "from env import Vec\n\ndef last():\n    return envs\n\nenvs = Vec([])\n",
        "from env import Vec\nenvs = Vec([])\n\ndef work():\n    pass\n\nwork()\n",
    ],
    ids=["it asks for its name", "a text of two lines", "used by a function", "before a function"],
)
def test_work_that_a_guard_would_change_stays(text: str) -> None:
    assert without("guard", text, "Vec([") == ""


@pytest.mark.parametrize(
    ("handed", "functions"),
    [
        ("[Arm(), Arm()]", "[Arm, Arm]"),
        ("[Arm(3)] * 2", "[lambda: Arm(3)] * 2"),
        ("[Arm(i) for i in range(2)]", "[lambda i=i: Arm(i) for i in range(2)]"),
        ("[Arm() for _ in range(2)]", "[Arm for _ in range(2)]"),
    ],
)
def test_functions_are_handed_in_place_of_instances(handed: str, functions: str) -> None:
    assert without("instances", f"envs = Vec({handed})\n", "Vec", "Vec") == (
        f"envs = Vec({functions})\n"
    )
    named = f"made = {handed}\nenvs = Vec(made)\n"
    assert without("instances", named, "Vec", "Vec") == f"made = {functions}\nenvs = Vec(made)\n"


@pytest.mark.parametrize(
    "text",
    [
        "envs = Vec([first, second])\n",
        "made = [Arm()]\nmade[0].reset()\nenvs = Vec(made)\n",
        "envs = Vec(make_all())\n",
    ],
)
def test_instances_that_are_used_elsewhere_stay(text: str) -> None:
    assert without("instances", text, "Vec", "Vec") == ""


LOCAL = "def settings():\n    return {'rate': lambda step: 0.5 * step}\n"


def test_lambda_becomes_a_function_of_the_module() -> None:
    assert without("lambda", LOCAL, "return", "settings") == (
        "def _rate(step):\n    return 0.5 * step\n\n\ndef settings():\n    return {'rate': _rate}\n"
    )
    method = "class Arm:\n    def __init__(self):\n        self.rate = lambda: 1\n"
    assert "self.rate = _rate\n" in without("lambda", method, "self", "Arm.__init__")


@pytest.mark.parametrize(
    "text",
    [
        "def settings(scale):\n    return {'rate': lambda: scale}\n",
        "def settings():\n    return lambda: 0.5\n",
        "def settings():\n    return {'a': lambda: 1, 'b': lambda: 2}\n",
        "_rate = 1\ndef settings():\n    return {'rate': lambda: _rate}\n",
    ],
    ids=["it uses an argument", "it has no name", "there are two", "the name is used"],
)
def test_lambda_that_belongs_to_its_function_stays(text: str) -> None:
    assert without("lambda", text, "return", "settings") == ""


def test_thread_gets_an_event_loop() -> None:
    taken = "import asyncio\ndef loop_of(self):\n    self.loop = asyncio.get_event_loop()\n"
    assert without("loop", taken, "get_event").endswith(
        "    try:\n        self.loop = asyncio.get_event_loop()\n"
        "    except RuntimeError:  # in a thread\n"
        "        self.loop = asyncio.new_event_loop()\n        asyncio.set_event_loop(self.loop)\n"
    )
    returned = taken.replace("self.loop =", "return")
    assert without("loop", returned, "get_event").endswith("        return loop\n")
    assert without("loop", "asyncio.get_event_loop().run_until_complete(work())\n", "get_") == ""


REGISTERS = (
    "def register_all():\n    gym.register('Arm-v0', Arm)\n\n"
    "def make():\n    env = gym.make('Arm-v0')\n    return env\n"
)


def test_worker_registers_what_it_makes() -> None:
    after = without("id", REGISTERS, "gym.make")
    assert after.endswith(
        "def make():\n    register_all()\n    env = gym.make('Arm-v0')\n    return env\n"
    )
    assert (
        without("id", REGISTERS.replace("register_all()", "register_all(name)"), "gym.make") == ""
    )
    assert without("id", "env = gym.make('Arm-v0')\n", "gym.make") == ""


RECORDER = (
    "class Recorder:\n    def __init__(self, env):\n        self.env = env\n\n"
    "    def close(self):\n        if self.env:\n            self.env.close()\n        self.save()\n"
)


def test_class_leaves_open_what_it_was_given() -> None:
    assert without("owner", RECORDER, "env.close") == RECORDER.replace(
        "        if self.env:\n            self.env.close()\n", ""
    )
    alone = RECORDER.replace("        self.save()\n", "")
    assert without("owner", alone, "env.close").endswith("    def close(self):\n        pass\n")
    made = RECORDER.replace("self.env = env", "self.env = make(env)")
    assert without("owner", made, "env.close") == ""
    assert without("owner", "env = make()\nenv.close()\n", "env.close") == ""


PLACE = Location("/train.py", 5)
TWICE = (
    "An attempt has been made to start a new process before the current process has finished its"
)
LAMBDA = "Can't pickle local object 'Arm.__init__.<locals>.<lambda>'"


@pytest.mark.parametrize(
    ("error", "kind", "name"),
    [
        (Raised("RuntimeError", f"{TWICE} bootstrapping phase", PLACE), "guard", ""),
        (Raised("AttributeError", LAMBDA, PLACE), "lambda", "Arm.__init__"),
        (Raised("AttributeError", "'Arm' object has no attribute 'close'", PLACE), "close", "Arm"),
        (
            Raised("AttributeError", "'NoneType' object has no attribute 'close'", PLACE),
            "missing",
            "NoneType",
        ),
        (
            Raised("TypeError", "", PLACE, "send", unfollowed="Arm.sim", called_at=PLACE),
            "sent",
            "Arm",
        ),
        (Raised("ValueError", "the game is over: no player can move", PLACE), "over", ""),
        (Raised("RuntimeError", "no CUDA in forked subprocess", PLACE), "fork", ""),
        (Raised("FileExistsError", "[Errno 17] File exists: 'res1'", PLACE), "exists", ""),
        (Raised("gymnasium.error.NameNotFound", "`Arm`", PLACE), "id", ""),
        (Raised("OSError", "handle is closed", PLACE), "handle", ""),
        (Raised("IndexError", "pop index out of range", PLACE), "index", ""),
        (Raised("Error", "Tried to reset environment which is not done", PLACE), "limit", ""),
        (Raised("RuntimeError", "Tried to reset an environment before done.", PLACE), "limit", ""),
        (
            Raised("RuntimeError", "There is no current event loop in thread 'T'.", PLACE),
            "loop",
            "",
        ),
        (
            Raised("RuntimeError", "<Lock> is bound to a different event loop", PLACE),
            "mutex",
            "",
        ),
        (
            Raised("TypeError", "Arm.reset() got an unexpected keyword argument 'seed'", PLACE),
            "arguments",
            "Arm",
        ),
        (
            Raised(
                "AttributeError", "no tau", PLACE, detail=ErrorDetail(LAYER, ("Motor", "tau", BASE))
            ),
            "layer",
            "tau",
        ),
        (
            Raised("NameNotFound", "`Arm`", PLACE, detail=ErrorDetail(REGISTRAR, ("arms",))),
            "import",
            "arms",
        ),
        (
            Raised("NameNotFound", "`Arm`", PLACE, detail=ErrorDetail(REGISTRAR, ("arms", "legs"))),
            "id",
            "",
        ),
    ],
)
def test_message_says_what_is_missing(error: Raised, kind: str, name: str) -> None:
    assert mend_failure(error) == MendFailure(Frame("/train.py", 5), kind, name)


def test_other_failures_have_no_aim() -> None:
    assert mend_failure(Raised("OSError", "file is closed", PLACE)) is None
    assert mend_failure(Raised("RuntimeError", "There is no current event loop in thread")) is None
    assert mend_failure(None) is None
    assert leave_open(None) is None
    handed = mend_failure(Raised("TypeError", "", PLACE), Handed("Vec", "Arm", 2))
    assert handed == MendFailure(Frame("/train.py", 5), "instances", "Vec")


def test_index_of_a_script_is_wrapped_around_by_the_length_of_its_list() -> None:
    text = "def play(bricks, place):\n    return bricks[place % 6]\n"
    assert "bricks[place % len(bricks)]" in without("index", text, "return")
    assert without("index", text.replace(" % 6", ""), "return") == ""


GUARDED = (
    "import multiprocessing as mp\n\n\ndef main():\n    mp.Process(target=work).start()\n\n\n"
    'if __name__ == "__main__":\n    main()\n'
)


def test_workers_are_spawned_where_they_were_forked() -> None:
    assert without("fork", GUARDED, "Process") == GUARDED.replace(
        "    main()\n", '    mp.set_start_method("spawn")\n    main()\n'
    )
    context = 'context = mp.get_context("fork")\n'
    assert without("fork", context, "context") == context.replace("fork", "spawn")
    own = 'class Arm:\n    way = "fork"\n    context = mp.get_context(Arm.way)\n'
    assert without("fork", own, "context") == own.replace("fork", "spawn")
    named = "envs = Vec(makers, start_method='fork')\n"
    assert without("fork", named, "Vec") == 'envs = Vec(makers, start_method="spawn")\n'


@pytest.mark.parametrize(
    "text",
    [
        GUARDED.partition("if __name__")[0],
        GUARDED.replace("mp.Process", "mp.get_context(METHOD).Process"),
        GUARDED.replace("mp.Process", "mp.get_context('spawn' if safe else 'fork').Process"),
        "WAY = 'spawn' if safe else 'fork'\n"
        + GUARDED.replace("mp.Proc", "mp.get_context(WAY).Proc"),
        GUARDED.replace("import multiprocessing as mp", "import own as mp"),
    ],
    ids=[
        "no guard",
        "a context that is not known",
        "a condition",
        "its variable",
        "another module",
    ],
)
def test_script_that_may_not_be_spawned_stays(text: str) -> None:
    assert without("fork", text, "Process") == ""


FOLDERS = """
import tempfile
from pathlib import Path

def next_folder(parent):
    return parent / f"res{{len(list(parent.glob('res*')))}}"

class Arm:
    def __init__(self, parent):
        self.folder = {made}
        read_building()
        {makes}
"""


def test_folder_that_another_process_has_made_is_not_taken() -> None:
    text = FOLDERS.format(made="next_folder(parent)", makes="self.folder.mkdir()")
    expected = (
        "        while True:\n            try:\n                self.folder.mkdir()\n"
        "            except FileExistsError:  # another process was faster\n"
        "                self.folder = next_folder(parent)\n"
        "            else:\n                break\n"
    )
    assert without("exists", text, "mkdir()").endswith(expected)


@pytest.mark.parametrize(
    ("made", "makes"),
    [
        ("parent / 'res'", "self.folder.mkdir()"),  # always the same name
        ("Path(parent)", "self.folder.mkdir()"),
        ("next_folder(parent)", "self.folder.mkdir(exist_ok=True)"),
        ("next_folder(parent)", "self.other.mkdir()"),
    ],
)
def test_folder_with_a_name_of_its_own_stays(made: str, makes: str) -> None:
    assert without("exists", FOLDERS.format(made=made, makes=makes), ".mkdir(") == ""


BORROWED = """
class Vec:
    def ask(self):
        self.pipe.send(0)

class Collector:
    def __init__(self, envs):
        self.envs = envs

    def close(self):
        self.envs.close()

def main():
    envs = Vec(3)
    for _ in range(2):
        collector = Collector(envs)
        collector.close()
"""


def test_vectorizer_is_closed_by_what_made_it() -> None:
    after = without("borrowed", BORROWED, "pipe.send")
    assert "    def close(self):\n        pass\n" in after
    assert after.endswith(
        "    envs = Vec(3)\n    try:\n        for _ in range(2):\n"
        "            collector = Collector(envs)\n            collector.close()\n"
        "    finally:\n        envs.close()\n"
    )


def test_vectorizer_without_a_name_is_closed_by_way_of_its_holder() -> None:
    held = BORROWED.partition("def main")[0] + "trainer = Collector(Vec(3))\ntrainer.train()\n"
    after = without("borrowed", held, "pipe.send")
    assert after.endswith("    trainer.train()\nfinally:\n    trainer.envs.close()\n")
    conditional = f"{held}if wanted:\n    trainer.envs.close()\n"
    assert without("borrowed", conditional, "pipe.send") == ""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("self.envs = envs", "self.envs = copy(envs)"),
        ("        self.envs.close()", "        self.envs.close()\n        self.envs.close()"),
        ("    envs = Vec(3)", "    envs = Vec(3)\n    other = Vec(2)"),
        ("Collector(envs)\n", "Other(envs)\n"),
        ("        collector.close()\n", "        collector.close()\n    return envs\n"),
    ],
    ids=["a copy", "closed twice", "two are made", "another holder", "it is returned"],
)
def test_vectorizer_stays_where_it_is_not_known_who_closes_it(old: str, new: str) -> None:
    assert without("borrowed", BORROWED.replace(old, new), "pipe.send") == ""


PARTS = """
class Arm:
    def __init__(self):
        self.chat = self.page = None
        self.name = "arm"

    def close(self):
        if self.task:
            self.task.teardown()
            self.chat.close()
            self.page.close()
            self.log.close()
"""


def test_parts_that_are_not_there_are_not_closed() -> None:
    parts = without("missing", PARTS, "self.chat.close", "NoneType")
    assert parts.count("            if self.chat is not None:\n") == 1
    assert "                self.page.close()\n                self.page = None\n" in parts
    assert parts.endswith("self.page = None\n            self.log.close()\n")
    later = without("missing", PARTS, "self.page.close", "NoneType")
    assert "            self.chat.close()\n            if self.page is not None:" in later


@pytest.mark.parametrize(
    ("old", "new"),
    [("self.page = None", "self.page = Page()"), ("self.chat.close()", "done = self.chat.close()")],
    ids=["it has them", "not a plain call"],
)
def test_parts_that_are_there_are_closed(old: str, new: str) -> None:
    text = PARTS.replace("self.chat = self.page = None", "self.page = None").replace(old, new)
    assert "self.chat is" not in without("missing", text, "self.chat.close", "NoneType")


GAME = """
class Game:
    def is_over(self):
        return self.turns == 40

    def move(self, action):
        if self.is_over():
            raise ValueError("the game is over")

class Arm:
    def reset(self):
        self.game = Game()

    def step(self, action):
        self.game.move(action)
        over = self.game.score == 25
        return self.game.score, over
"""


def test_step_asks_the_game_whether_it_is_over() -> None:
    asked = "self.game.score == 25 or self.game.is_over()\n"
    assert without("over", GAME, "raise") == GAME.lstrip("\n").replace(
        "self.game.score == 25\n", asked
    )
    chosen = GAME.replace("over = self.game.score == 25", "done = flag(self.game)")
    assert "done = (flag(self.game)) or self.game.is_over()\n" in without("over", chosen, "raise")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("score == 25", "score == 25 or self.game.is_over()"),
        ("over = self", "reward = self"),
        ("over = self.game.score == 25", "over = False"),
        ("self.game.move", "self.other.play"),
        ("if self.is_over()", "if self.is_over(action)"),
        ("if self.is_over()", "if over(self)"),
        ("            raise", "            self.count()\n            raise"),
    ],
    ids=["asked", "no flag", "a constant", "no move", "an argument", "a function", "it does more"],
)
def test_flags_of_step_stay_where_they_ask_or_it_is_not_known_what(old: str, new: str) -> None:
    assert without("over", GAME.replace(old, new), "raise") == ""


def test_error_outside_of_a_class_gives_no_question() -> None:
    text = 'def move(action):\n    if is_over():\n        raise ValueError("it is over")\n'
    assert without("over", text + GAME.replace("raise", "return"), "raise") == ""


UNCLOSED = """
class World:
    def close(self):
        self.places = None

class Arm:
    def __init__(self):
        self.world = World()
        self.size = Size()
"""


def test_class_without_a_close_gets_one() -> None:
    assert without("close", UNCLOSED, "World()", "Arm") == (
        UNCLOSED.lstrip("\n") + "\n    def close(self):\n        self.world.close()\n"
    )
    alone = UNCLOSED.replace("World()", "World")
    assert without("close", alone, "World", "Arm").endswith("close(self):\n        pass\n")
    assert (
        without("close", UNCLOSED.replace("class Arm", "class Arm(Base)"), "World()", "Arm") == ""
    )
    assert without("close", UNCLOSED, "World()", "Leg") == ""
