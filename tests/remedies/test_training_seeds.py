"""From a line of a training script to seeds, and files, for each process, by values."""

from __future__ import annotations

from functools import partial

import pytest

from envdoctor.model.training_aims import (
    BindLate,
    DrawOwn,
    GiveArgument,
    GiveSeed,
    MakeHosted,
    OwnFiles,
    OwnSeeds,
    SeedActions,
    SeedOnce,
    SeedOther,
    SpreadSeeds,
)
from tests.remedies.scripts import mended

RANKS = "def seeds(self):\n    return [SEED + self.rank * i for i in range(self.games)]\n"


def test_seeds_of_ranks_are_apart_by_their_number() -> None:
    assert mended(OwnSeeds, RANKS, "return") == RANKS.replace(
        "self.rank * i", "self.rank * self.games + i"
    )
    given = "seeds = [3 + i * rank for i in range(2 * n)]\n"
    assert (
        mended(OwnSeeds, given, "seeds")
        == "seeds = [3 + rank * (2 * n) + i for i in range(2 * n)]\n"
    )


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("seeds", "places"),
        ("self.rank * i", "self.rank + i"),
        ("self.rank * i", "7 * i"),
        ("SEED +", "i +"),
        ("range(self.games)", "self.games"),
    ],
    ids=["no seeds", "a sum", "a number", "it is used twice", "not counted"],
)
def test_other_terms_stay(old: str, new: str) -> None:
    assert mended(OwnSeeds, RANKS.replace(old, new), "return") == ""


RUNS = """
SEED = 3

def run(pipe, index):
    env = make()
    env.action_space.seed(SEED)
    env.reset(seed=SEED)
    env.reset()

def main():
    for index in range(3):
        ours, theirs = Pipe()
        Process(target=run, args=(theirs, index)).start()
"""


def test_seed_of_a_process_has_its_number() -> None:
    done = RUNS.lstrip("\n")
    own = done.replace("seed(SEED)", "seed(SEED + index)").replace("=SEED)", "=SEED + index)")
    assert mended(OwnSeeds, RUNS, "= make(") == own
    apart = own.replace("SEED + index", "SEED + 1000 * index")
    assert mended(SpreadSeeds, RUNS, "= make(") == apart
    counted = RUNS.replace("for index in range(3)", "for index, each in enumerate(parts)")
    assert "seed=SEED + index" in mended(OwnSeeds, counted, "= make(")
    pool = RUNS.partition("def main")[0].replace("(pipe, index)", "(number)").replace("SEED)", "0)")
    mapped = f"{pool}done = pool.map(run, range(4))\n"
    assert "env.reset(seed=number)\n" in mended(OwnSeeds, mapped, "= make(")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("args=(theirs, index)", "args=(theirs, 4)"),
        ("range(3)", "[5, 5]"),
        ("seed=SEED", "seed=SEED * index"),
        ("seed=SEED", "seed=given(SEED)"),
        ("Process(target=run", "Process(target=other"),
        ("    env.action_space.seed(SEED)\n    env.reset(seed=SEED)\n", ""),
    ],
    ids=["equal arguments", "not counted", "it differs", "a call", "another function", "no seed"],
)
def test_seed_without_a_number_beside_it_stays(old: str, new: str) -> None:
    assert mended(OwnSeeds, RUNS.replace(old, new), "= make(") == ""


COUNTED = """
def start(envs, seed, rank):
    return [env.reset(seed=number + seed * 4) for number, env in enumerate(envs)]

def work(pipe, rank):
    start([make()], 3, rank)

for rank in range(3):
    Process(target=work, args=(pipe, rank)).start()
"""


def test_seeds_that_are_counted_up_lie_apart_in_each_process() -> None:
    done = COUNTED.lstrip("\n").replace("seed * 4", "seed * 4 + 1000 * rank")
    assert mended(OwnSeeds, COUNTED, "seed=") == done


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("seed * 4", "seed * rank"),
        ("seed * 4", "drawn(seed)"),
        ("3, rank)", "3, 0)"),
        ("args=(pipe, rank)", "args=(pipe, 0)"),
    ],
    ids=["it differs", "a call", "not handed on", "equal arguments"],
)
def test_seeds_that_are_counted_up_otherwise_stay(old: str, new: str) -> None:
    assert mended(OwnSeeds, COUNTED.replace(old, new), "seed=") == ""


SCRIPT = """
import numpy as np

def set_seed(seed):
    np.random.seed(seed)

def main():
    set_seed(21)
    env = Arm()
    for _ in range(9):
        env.reset()
    env.close()
"""


def test_seed_of_the_script_reaches_the_first_reset() -> None:
    done = SCRIPT.lstrip("\n").replace("    for", "    env.reset(seed=21)\n    for")
    assert mended(GiveSeed, SCRIPT, "= Arm(") == done
    drawn = SCRIPT.replace("env.close()", "env.action_space.sample()")
    assert "    env.action_space.seed(21)\n    for" in mended(GiveSeed, drawn, "= Arm(")
    opened = SCRIPT.replace("env = Arm()", "with log():\n        env = Arm()\n        env.reset()")
    assert "        env.reset(seed=21)\n        env.reset()" in mended(GiveSeed, opened, "= Arm(")
    given = "import numpy as np\nSEED = 4\ndef play(env):\n    np.random.seed(SEED)\n"
    given += "    view, _ = env.reset()\nplay(Arm())\n"
    assert "    env.reset(seed=SEED)\n    view, _" in mended(GiveSeed, given, "(Arm(")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("set_seed(21)", "set_seed(21)\n    set_seed(22)"),
        ("set_seed(21)", "set_seed(drawn())"),
        ("set_seed(21)", "set_seed(unknown)"),
        ("np.random.seed", "torch.manual_seed"),
        ("env.reset()", "play(env)"),
        ("env = Arm()", "self.env = Arm()"),
    ],
    ids=["two seeds", "a call", "unknown", "another generator", "reset elsewhere", "an attribute"],
)
def test_environment_without_one_known_seed_stays(old: str, new: str) -> None:
    assert mended(GiveSeed, SCRIPT.replace(old, new), "Arm()") == ""


DRAWING = """
import gymnasium
import numpy as np

class Arm(gymnasium.Env):
    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        return np.random.uniform(0, 1), {}

class Leg(gymnasium.Env):
    def reset(self, *, seed=None, options=None):
        return np.random.uniform(0, 1), {}
"""


def test_class_that_a_training_plays_draws_from_its_own_generator() -> None:
    done = mended(lambda place: DrawOwn(place, "Arm"), DRAWING, "uniform")
    assert done.count("self.np_random.uniform(0, 1)") == 1
    assert done.index("self.np_random") < done.index("class Leg")


MONITORS = 'envs = Vec([lambda: Monitor(Arm(), f(folder, "logs/monitor.csv")) for _ in range(2)])\n'


def own_files(text: str) -> str:
    return mended(lambda place: OwnFiles(place, "monitor.csv"), text, "lambda")


def test_file_of_a_worker_has_its_rank() -> None:
    assert own_files(MONITORS) == (
        "envs = Vec([lambda rank=rank: Monitor(Arm(), "
        'f(folder, f"logs/{rank}.monitor.csv")) for rank in range(2)])\n'
    )
    indexed = "envs = [lambda: Log('monitor.csv') for i in range(2)]\n"
    assert own_files(indexed) == "envs = [lambda i=i: Log(f'{i}.monitor.csv') for i in range(2)]\n"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("logs/monitor.csv", "logs/{now}/monitor.csv"),
        ("logs/monitor.csv", "my_monitor.csv"),
        ("range(2)", "names"),
        ("lambda:", "lambda path:"),
        ("Arm()", "Arm(rank)"),
        ("Arm()", "Arm('monitor.csv')"),
    ],
    ids=[
        "braces",
        "another file",
        "not counted",
        "it takes a path",
        "rank is known",
        "two of them",
    ],
)
def test_file_that_is_not_surely_the_same_stays(old: str, new: str) -> None:
    assert own_files(MONITORS.replace(old, new)) == ""


RANKED = """
def maker(folder, rank):
    return lambda: Monitor(Arm(), join(folder, "monitor.csv"))

envs = Vec([maker("logs", number) for number in range(4)])
"""


def test_file_of_a_function_that_knows_its_rank() -> None:
    own = RANKED.lstrip("\n").replace('"monitor.csv"', 'f"{rank}.monitor.csv"')
    assert own_files(RANKED) == own


@pytest.mark.parametrize(
    ("old", "new"),
    [("number)", "4)"), ("range(4)", "names"), ('"monitor.csv"', "name")],
    ids=["one rank", "not counted", "a name"],
)
def test_file_of_a_function_without_a_rank_stays(old: str, new: str) -> None:
    assert own_files(RANKED.replace(old, new)) == ""


def test_factories_may_be_the_second_argument() -> None:
    text = "envs = SerialEnv(4, [lambda: Duck(seed=0) for _ in range(4)])\n"
    assert mended(BindLate, text, "Duck") == (
        "envs = SerialEnv(4, [lambda rank=rank: Duck(seed=0 + rank) for rank in range(4)])\n"
    )


SEEDED = """
def make():
    env = Arm()
    env.reset(seed=3)
    return env

envs = SyncVectorEnv([make] * 3)
envs.reset()
"""


def test_vectorizer_gives_the_seed_in_place_of_the_factory() -> None:
    assert mended(BindLate, SEEDED, "= Arm(") == SEEDED.lstrip("\n").replace(
        "    env.reset(seed=3)\n", ""
    ).replace("envs.reset()", "envs.reset(seed=3)")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("envs.reset()", "envs.reset(seed=4)"),
        ("seed=3", "seed=start"),
        ("[make] * 3", "[Arm] * 3"),
        ("    env.reset(seed=3)", "    env.reset(seed=3)\n    env.reset(seed=4)"),
        ("SyncVectorEnv", "Trainer"),
    ],
    ids=["it has one", "a name", "another factory", "two", "no vectorizer"],
)
def test_factory_keeps_a_seed_that_nothing_else_gives(old: str, new: str) -> None:
    assert mended(BindLate, SEEDED.replace(old, new), "= Arm(") == ""


PARSED = "import numpy as np\nnp.random.seed(args.seed)\nargs = parse()\n"


@pytest.mark.parametrize(
    ("call", "given"),
    [
        ('make("Pong-v5", num=8)', 'make("Pong-v5", num=8, seed=args.seed)'),
        ("pool.make()", "pool.make(seed=args.seed)"),
        ("Monitor(make(7,))", "Monitor(make(7, seed=args.seed))"),
        ("make(7, seed=3)", ""),
        ("make(7, **options)", ""),
        ("make(make(7))", ""),
    ],
)
def test_argument_that_is_left_out_is_the_seed_of_the_script(call: str, given: str) -> None:
    expected = f"{PARSED}envs = {given}\n" if given else ""
    text = f"{PARSED}envs = {call}\n"
    assert mended(lambda place: GiveArgument(place, "make", "seed"), text, "envs") == expected


def test_argument_without_a_seed_of_the_script_stays_left_out() -> None:
    assert (
        mended(lambda place: GiveArgument(place, "make", "seed"), "envs = make(7)\n", "envs") == ""
    )


AGENT = """
class Agent:
    def __init__(self, env):
        self.env = env
        self.env.seed(SEED)

    def begin(self):
        self.env.seed(SEED)  # again
        self.state = self.env.reset()
"""


def test_seed_that_is_given_once_more_goes_where_it_was_given_before() -> None:
    once = mended(lambda place: SeedOnce(place, place), AGENT, "# again")
    assert once == AGENT.replace("        self.env.seed(SEED)  # again\n", "").lstrip("\n")
    alone = AGENT.replace("        self.env.seed(SEED)\n\n", "\n")
    assert mended(lambda place: SeedOnce(place, place), alone, "# again") == ""


OTHER = """\
{imports}
import numpy as np

SEED = 3


def main():
    {seeds}
    env = Arm()
"""


@pytest.mark.parametrize(
    ("imports", "seeds", "generator", "line"),
    [
        ("import random", "np.random.seed(SEED)", "random", "random.seed(SEED)"),
        ("import math", "np.random.seed(SEED + 1)", "random", "random.seed(SEED + 1)"),
        ("import random", "random.seed(args.seed)", "numpy.random", "np.random.seed(args.seed)"),
    ],
)
def test_other_generator_gets_the_seed(imports: str, seeds: str, generator: str, line: str) -> None:
    text = mended(
        lambda place: SeedOther(place, generator), OTHER.format(imports=imports, seeds=seeds), "Arm"
    )
    assert f"    {seeds}\n    {line}\n    env = Arm()\n" in text
    assert text.count("import random\n") == 1
    assert text.count("import numpy as np\n") == 1


@pytest.mark.parametrize(
    "seeds",
    [
        "np.random.default_rng(SEED)",
        "np.random.seed()",
        "np.random.seed(1); np.random.seed(2)",
        "random = np.random.seed(SEED)",
    ],
)
def test_seed_that_is_not_given_in_one_place_is_not_given_again(seeds: str) -> None:
    text = OTHER.format(imports="import math", seeds=seeds)
    assert mended(lambda place: SeedOther(place, "random"), text, "Arm") == ""


def test_name_of_a_generator_that_has_another_meaning_is_left() -> None:
    text = OTHER.format(imports="random = None", seeds="np.random.seed(SEED)")
    assert mended(lambda place: SeedOther(place, "random"), text, "Arm") == ""


@pytest.mark.parametrize(
    ("below", "after"),
    [
        ("observation, _ = env.reset(seed=args.seed)", "env.action_space.seed(args.seed)"),
        ("env.reset(seed=SEED)", "env.action_space.seed(SEED)"),
    ],
)
def test_actions_get_the_seed_of_the_first_reset(below: str, after: str) -> None:
    text = f"SEED = 3\nenv = Arm()\n{below}\nenv.reset(seed=9)\nenv.step(0)\n"
    assert mended(SeedActions, text, "Arm()") == text.replace(below, f"{below}\n{after}")


def test_actions_get_the_seed_of_numpy_where_no_reset_has_one() -> None:
    text = "import numpy as np\nnp.random.seed(3)\nenv = Arm()\nenv.reset()\n"
    assert mended(SeedActions, text, "Arm()") == text.replace(
        "Arm()\n", "Arm()\nenv.action_space.seed(3)\n"
    )
    text = "env = Arm()\nfor episode in range(3):\n    env.reset(seed=SEED)\n"
    assert mended(SeedActions, text, "Arm()") == text.replace(
        "Arm()\n", "Arm()\nenv.action_space.seed(SEED)\n"
    )
    for other in ("", "for episode in range(3):\n    env.reset(seed=episode)\n"):
        assert mended(SeedActions, f"env = Arm()\nprint(env)\n{other}", "Arm()") == ""


VECTOR = """\
from gymnasium.vector import SyncVectorEnv

envs = SyncVectorEnv([Arm] * 2)
ends = envs.infos["final_info"]
"""


def test_vectorizer_of_a_library_is_given_a_value_that_is_named_there() -> None:
    aim = partial(
        GiveArgument,
        function="SyncVectorEnv",
        name="autoreset_mode",
        value="AutoresetMode.SAME_STEP",
    )
    argument = "* 2, autoreset_mode=AutoresetMode.SAME_STEP)"
    line = "from gymnasium.vector import AutoresetMode\n"
    added = mended(aim, VECTOR, "ends")
    assert added.replace(line, "") == VECTOR.replace("* 2)", argument) and line in added
    known = VECTOR.replace("import ", "import AutoresetMode, ")
    assert mended(aim, known, "ends") == known.replace("* 2)", argument)
    for old, new in (
        ("SyncVectorEnv\n", "BatchEnv\n"),
        ("* 2)", "* 2, autoreset_mode=MODE)"),
        ("envs =", "AutoresetMode = 3\nenvs ="),
        ("ends =", "others = SyncVectorEnv([Leg])\nends ="),
    ):
        assert mended(aim, VECTOR.replace(old, new), "ends") == "", old


POOL = """\
import numpy as np


class Pool:
    def __init__(self, makers):
        self.arms = [make() for make in makers]

    def reset(self, seeds):
        return [arm.reset(seed=seed)[0] for arm, seed in zip(self.arms, seeds)]


class Game:
    def __init__(self):
        self.arm = Check(Arm())

    def reset(self, seed=None):
        return self.arm.reset(seed=seed)


if __name__ == "__main__":
    options = parse()
    generator = np.random.default_rng(options.seed)
    pool = Pool([Arm] * 3)
    pool.reset([4, 5, 6])
    game = Game()
"""


def test_space_of_a_vectorizer_is_seeded_where_the_script_makes_that() -> None:
    pooled = partial(SeedActions, vectorizer="Pool")
    text = POOL.replace("pool.reset([4, 5, 6])", "pool.reset(seed=4)")
    assert mended(pooled, text, "make()") == text.replace(
        "seed=4)\n", "seed=4)\n    pool.action_space.seed(4)\n"
    )
    twice = text.replace("game = Game()", "game = Pool([Arm])")
    other = text.replace("pool = Pool", "pool = Other")
    assert mended(pooled, twice, "make()") == mended(pooled, other, "make()") == ""


def test_spaces_of_instances_are_seeded_with_these() -> None:
    lines = """\
        for arm, seed in zip(self.arms, seeds):
            arm.action_space.seed(seed)
"""
    assert mended(SeedActions, POOL, "make()") == POOL.replace(
        "        return [arm", f"{lines}        return [arm"
    )


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("seed=seed)[0]", ")[0]"),
        ("seeds)]", "seeds) if seed]"),
        ("zip(self.arms", "zip(self.legs"),
        ("(self, seeds)", "(self, seeds, arm=0)"),
        ("        return [arm", "        arm = seeds[0]\n        return [arm"),
        ("arm.reset(", "self.arms[0].reset("),
    ],
    ids=["no seed", "only some", "another list", "an argument", "a variable", "always one"],
)
def test_spaces_of_other_lists_stay(old: str, new: str) -> None:
    assert mended(SeedActions, POOL.replace(old, new), "make()") == ""


def test_environment_in_a_class_of_the_script_is_seeded_by_its_reset() -> None:
    assert mended(GiveSeed, POOL, "Arm())") == POOL.replace(
        "Game()\n", "Game()\n    game.reset(seed=options.seed)\n"
    )
    for old, new in (
        ("options = parse", "print"),
        ("seed=None", "**options"),
        ("game =", "games = Game(), Game() #"),
        ("options.seed)", "options.chance)"),
    ):
        assert mended(GiveSeed, POOL.replace(old, new), "Arm())") == ""


RUNNER = """\
import numpy as np


def set_seed(seed):
    np.random.seed(seed)


def make(name):
    return Arm(name)


class Runner:
    def __init__(self, variant):
        {kept} = variant
        {seeds}

    def build(self):
        self.env = make("a")
        self.sim = Simulator()
        self.other = make("b")
"""


@pytest.mark.parametrize(
    ("seeds", "seed"),
    [
        ('set_seed(variant["seed"])', 'self.variant["seed"]'),
        ("np.random.seed(self.variant.seed)", "self.variant.seed"),
        ("np.random.seed(3)", "3"),
    ],
)
def test_environment_that_a_class_keeps_gets_a_seed_where_it_is_made(seeds: str, seed: str) -> None:
    text = RUNNER.format(kept="self.variant", seeds=seeds)
    assert mended(GiveSeed, text, "Arm(name)") == text.replace(
        'make("a")\n', f'make("a")\n        self.env.reset(seed={seed})\n'
    ).replace('make("b")\n', f'make("b")\n        self.other.reset(seed={seed} + 1)\n')


@pytest.mark.parametrize(
    ("kept", "seeds"),
    [
        ("settings", 'set_seed(variant["seed"])'),
        ("self.variant", "set_seed(variant[0])\n        set_seed(1)"),
        ("self.variant", "set_seed(draw())"),
        ("self.variant", "pass"),
    ],
)
def test_seed_that_a_method_does_not_know_is_not_given(kept: str, seeds: str) -> None:
    assert mended(GiveSeed, RUNNER.format(kept=kept, seeds=seeds), "Arm(name)") == ""


HOSTS = """\
def main(size):
    env = Arm(size, 3)
    venv = SyncVectorEnv([{factory}] * 4)
    {after}
"""


@pytest.mark.parametrize(
    ("factory", "after", "made", "is_kept"),
    [
        ("lambda: env", "venv.reset()", "lambda: Arm(size, 3)", False),
        ("lambda: Limit(env, 9)", "venv.reset()", "lambda: Limit(Arm(size, 3), 9)", False),
        ("lambda: env", "print(env.spec)", "lambda: Arm(size, 3)", True),
    ],
)
def test_function_makes_what_it_returned_each_time(
    factory: str, after: str, made: str, is_kept: bool
) -> None:
    text = mended(MakeHosted, HOSTS.format(factory=factory, after=after), "Arm(")
    assert f"SyncVectorEnv([{made}] * 4)\n" in text
    assert ("    env = Arm(size, 3)\n" in text) is is_kept


@pytest.mark.parametrize("factory", ["make", "lambda: other", "lambda: Arm(size, 3)"])
def test_function_that_does_not_return_it_is_left(factory: str) -> None:
    assert mended(MakeHosted, HOSTS.format(factory=factory, after="pass"), "env = Arm(") == ""
