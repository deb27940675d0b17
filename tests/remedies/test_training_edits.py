"""From a line of a training script to the script that closes what it makes, by values."""

from __future__ import annotations

import ast
import textwrap

import pytest

from envdoctor.model.errors import Frame
from envdoctor.model.remedy import Aim
from envdoctor.model.training_aims import (
    BindLate,
    CloseMade,
    JoinFirst,
    MakeNothing,
    MakeOnce,
    SeedOnce,
    SpreadSeeds,
)
from envdoctor.remedies.applying import changed, changes
from envdoctor.remedies.composing import candidates
from envdoctor.remedies.source import File, Source

FILE = "/train.py"


def cured(
    kind: type[CloseMade | BindLate | JoinFirst | MakeNothing | MakeOnce | SeedOnce | SpreadSeeds],
    text: str,
    part: str,
) -> str:
    """The script with the edits for the first line that has the part; nothing without any."""
    file = File(FILE, textwrap.dedent(text).lstrip("\n"))
    line = next(at for at, each in enumerate(file.lines, 1) if part in each)
    where = Source({FILE: file}, "", FILE)
    aim: Aim = kind(Frame(FILE, line))
    edits = next(candidates(aim, where), ())
    if not edits:
        return ""
    result = changed(file, changes(edits, where))
    ast.parse(result)
    return result


def closed(body: str, after: str = "") -> str:
    text = f"def train(agent):\n{textwrap.indent(textwrap.dedent(body), '    ')}{after}"
    return cured(CloseMade, text, "make(")


def test_rest_of_the_block_is_tried_and_the_environment_closed() -> None:
    assert closed("env = make()\nenv.reset()  # once\n\nfor _ in range(3):\n    env.step(0)\n") == (
        "def train(agent):\n"
        "    env = make()\n"
        "    try:\n"
        "        env.reset()  # once\n"
        "\n"
        "        for _ in range(3):\n"
        "            env.step(0)\n"
        "    finally:\n"
        "        env.close()\n"
    )


def test_block_of_a_loop_ends_with_each_round() -> None:
    body = (
        "kept = []\nfor _ in range(3):\n    env = make()\n    env.reset()\n    kept.append(env)\n"
    )
    result = closed(body)
    assert result.endswith(
        "        try:\n            env.reset()\n            kept.append(env)\n"
        "        finally:\n            env.close()\n"
    )


def test_wrappers_that_follow_are_closed_by_the_outermost() -> None:
    result = closed("env = make()\nenv = Limit(env, 5)\nplay(env)\n")
    assert "    env = Limit(env, 5)\n    try:\n        play(env)\n    finally:" in result


def test_data_of_its_methods_may_be_kept() -> None:
    body = (
        "env = make()\nseen, _ = env.reset()\n"
        "agent.seen = seen\nagent.add(env.step(agent.act(env.action_space)))\n"
        "score, spread = evaluate(agent, env)\nreturn score\n"
    )
    assert "        return score\n    finally:\n        env.close()\n" in closed(body)


@pytest.mark.parametrize(
    "body",
    [
        "env = make()\nenv.reset()\nreturn env\n",
        "env = make()\nenv.reset()\nreturn env.unwrapped\n",
        "env = make()\nagent.sim, _ = env.sim, 0\nplay(env)\n",
        "env = make()\nrunner = make_runner(env)\nreturn runner\n",
        "env = make()\nplay(env)\nreturn [env, 1]\n",
        "env = make()\nself.runner = Runner(env)\nplay(env)\n",
        "env = make()\nmodel = PPO(env)\nmodel.learn(5)\nreturn model\n",
        "env = make()\nenv.reset()\nyield env\n",
        "env = make()\nif env:\n    env.close()\n",
        "env = make()\nif agent:\n    env.close()\nelse:\n    agent = env\n",
        "env = make()\nif agent:\n    env.close()\nenv.close()\n",
        "env = make()\nwith env:\n    env.reset()\n",
        "env = make()\nagent.env = env\nagent.play()\n",
        "env = make()\nENVS.append(env)\nplay(env)\n",
        "env = make()\nagent.set_env(env)\nagent.play()\n",
        "env = make()\nagent.kept.append(env)\nagent.play()\n",
        "kept = []\nenv = make()\nkept.append(env)\nprint(kept)\n",
        "env = make()\nplay(env)\nenv = other()\nplay(env)\n",
        "env = make()\nevery[0] = env\nplay(env)\n",
        "env = make()\nplay(lambda: env)\n",
        "global env\nenv = make()\nplay(env)\n",
        "for _ in range(3):\n    env = make()\n    env.reset()\nplay(env)\n",
        "for _ in range(3):\n    env = make()\n    model = PPO(env)\nplay(model)\n",
        "env = make()\n",
        "play(make())\n",
        'env = make()\nenv.send("""\nno\n""")\n',
        "env = make(); env.reset()\nplay(env)\n",
        "env = make()\nimport numpy\nplay(env)\n",
    ],
)
def test_block_that_gives_it_away_or_cannot_be_indented_has_no_code(body: str) -> None:
    assert closed(body) == ""


def test_close_at_the_end_of_the_block_is_reached_where_something_raises() -> None:
    assert closed("env = make()\nplay(env)\nenv.close()\n") == (
        "def train(agent):\n    env = make()\n    try:\n        play(env)\n    finally:\n"
        "        env.close()\n"
    )


def test_close_under_a_condition_is_done_without_it() -> None:
    body = "env = make()\nif done:\n    env.reset()\nif agent:\n    env.close()\n"
    assert closed(body).endswith("    if done:\n        env.reset()\n    env.close()\n")
    served = "env = make()\nwhile serve(env):\n    if agent:\n        env.close()\n"
    assert closed(f"{served}    break\n").endswith("        env.close()\n        break\n")
    assert closed(served) == ""  # the next round would use it


@pytest.mark.parametrize(
    "made", ["return make(4)", "env = make(4)\n    env.seed(3)\n    return env"]
)
def test_environment_is_closed_where_its_factory_is_called(made: str) -> None:
    factory = f"def build():\n    {made}\n"
    text = f"{factory}env = build()\nplay(env)\n"
    closed = "env = build()\ntry:\n    play(env)\nfinally:\n    env.close()\n"
    assert cured(CloseMade, text, "make(4)") == factory + closed
    assert cured(CloseMade, f"{text}test = build()\n", "make(4)") == ""
    scored = "def score():\n    return play(make(4))\ntotal = score()\nprint(total)\n"
    assert cured(CloseMade, scored, "make(4)") == ""


def test_other_line_is_closed_where_the_first_gives_no_name() -> None:
    text = (
        "class Arm:\n    def run(self):\n        self.game = Popen(GAME)\nenv = Arm()\nplay(env)\n"
    )
    file = File(FILE, text)
    where = Source({FILE: file}, "", FILE)
    aim = CloseMade(Frame(FILE, 3), Frame(FILE, 4))
    (edits,) = candidates(aim, where)
    result = changed(file, changes(edits, where))
    assert result.endswith("try:\n    play(env)\nfinally:\n    env.close()\n")
    assert not list(candidates(CloseMade(Frame(FILE, 3)), where))


def test_program_that_a_script_starts_is_ended() -> None:
    text = "simulator = Popen(['simulator'])\nplay()\n"
    ended = "    simulator.terminate()\n    simulator.wait()\n"
    assert cured(CloseMade, text, "Popen").endswith(f"finally:\n{ended}")
    conditional = f"{text}if done:\n    simulator.kill()\n    simulator.wait()\n"
    assert cured(CloseMade, conditional, "Popen") == f"{text}simulator.kill()\nsimulator.wait()\n"


def test_process_is_waited_for_before_it_is_ended() -> None:
    text = "for process, _ in workers:\n    process.terminate()\n    process.join()\n"
    waited = text.replace("    process.t", "    process.join(timeout=60)\n    process.t")
    assert cured(JoinFirst, text, "terminate") == waited
    assert cured(JoinFirst, text, "process.join") == ""


@pytest.mark.parametrize(
    ("made", "bound"),
    [
        ("[lambda: Arm(i) for i in range(4)]", "[lambda i=i: Arm(i) for i in range(4)]"),
        (
            "[lambda: Arm(n, k) for n, k in enumerate('ab')]",
            "[lambda n=n, k=k: Arm(n, k) for n, k in enumerate('ab')]",
        ),
    ],
)
def test_factory_keeps_the_value_of_its_round(made: str, bound: str) -> None:
    text = f"makes = {made}\nenvs = AsyncVectorEnv(makes)\n"
    assert cured(BindLate, text, "makes =") == text.replace(made, bound)


def test_factory_that_a_loop_adds_keeps_its_value() -> None:
    text = "for index in range(4):\n    makes.append(lambda: Arm(seed=index))\n"
    assert "makes.append(lambda index=index: Arm(seed=index))" in cured(BindLate, text, "append")


@pytest.mark.parametrize(
    "text",
    [
        "makes = [lambda: Arm() for i in range(4)]\n",
        "makes = [lambda i=i: Arm(i) for i in range(4)]\n",
        "makes = [lambda action: Arm(action, i) for i in range(4)]\n",
        "makes = (lambda: Arm(i) for i in range(4))\n",
        "for i in range(4):\n    play(lambda: Arm(i))\n",
    ],
)
def test_variable_that_is_bound_in_time_stays(text: str) -> None:
    assert cured(BindLate, text, "lambda") == ""


@pytest.mark.parametrize(
    ("made", "seeded"),
    [
        (
            "[lambda: make(seed=SEED) for _ in range(4)]",
            "[lambda rank=rank: make(seed=SEED + rank) for rank in range(4)]",
        ),
        (
            "[lambda: Limit(make('Arm', seed=3), 5) for index in range(n)]",
            "[lambda index=index: Limit(make('Arm', seed=3 + index), 5) for index in range(n)]",
        ),
    ],
)
def test_each_worker_gets_a_seed_of_its_own(made: str, seeded: str) -> None:
    text = f"envs = AsyncVectorEnv({made})\n"
    assert cured(BindLate, text, "envs") == text.replace(made, seeded)


@pytest.mark.parametrize(
    "text",
    [
        "runs = compare([lambda: make(seed=3) for _ in range(4)])\n",
        "envs = AsyncVectorEnv([lambda: make(seed=None) for _ in range(4)])\n",
        "envs = AsyncVectorEnv([lambda: make(seed=3) for _ in names])\n",
        "rank = 1\nenvs = SubprocVecEnv([lambda: make(rank, seed=3) for _ in range(4)])\n",
        "envs = SubprocVecEnv([lambda: make(seed=a, other=Arm(seed=b)) for _ in range(4)])\n",
        "envs = SubprocVecEnv([make for _ in range(4)])\n",
    ],
)
def test_other_seeds_stay(text: str) -> None:
    assert cured(BindLate, text, "make") == ""


COPIES = """\
class Arm(Env):
    def copies(self, count):
        return [lambda: copy.deepcopy(self) for _ in range(count)]


makers = {made}.copies(4)
"""


def test_each_factory_constructs_an_instance_in_place_of_a_copy() -> None:
    text = COPIES.format(made="Arm()")
    assert cured(BindLate, text, "lambda") == text.replace("copy.deepcopy(self)", "type(self)()")
    assert cured(BindLate, COPIES.format(made="Arm(4)"), "lambda") == ""
    assert cured(BindLate, text.replace("deepcopy(self)", "deepcopy(self.env)"), "lambda") == ""
    assert cured(BindLate, text.replace("Arm().", "arm."), "lambda") == ""


def test_each_factory_makes_an_instance_of_its_own() -> None:
    made = "vec = SubprocVecEnv([lambda: Arm(4) for _ in range(4)])\n"
    assert cured(BindLate, f"env = Arm(4)\n{made.replace('Arm(4)', 'env')}", "vec") == made
    kept = f"env = Arm(4)\n{made.replace('Arm(4)', 'env')}check(env)\n"
    assert cured(BindLate, kept, "vec") == f"env = Arm(4)\n{made}check(env)\n"
    listed = "env = Arm(4)\nvec = DummyVecEnv([lambda: env, lambda: env])\n"
    expected = "vec = DummyVecEnv([lambda: Arm(4), lambda: Arm(4)])\n"
    assert cured(BindLate, listed, "vec") == expected
    key = "best = search()\nvec = sort(names, key=lambda: best)\n"
    assert cured(BindLate, key, "vec") == ""
    twice = f"env = Arm(4)\n{kept}"
    assert cured(BindLate, twice, "vec") == ""


@pytest.mark.parametrize(
    ("seed", "spread"),
    [("seed", "1000 * seed"), ("SEED + run", "1000 * (SEED + run)"), ("3", "")],
)
def test_seeds_of_vectorizers_lie_apart(seed: str, spread: str) -> None:
    text = f"envs = make_vec_env('Arm-v0', 4, seed={seed})\n"
    expected = text.replace(f"seed={seed}", f"seed={spread}") if spread else ""
    assert cured(SpreadSeeds, text, "make_vec_env") == expected


EPISODES = """\
env = make()
for {variable} in {over}:
    env.reset({given})
    play(env)
"""


@pytest.mark.parametrize(
    ("variable", "over", "given", "loop", "seeded"),
    [
        ("episode", "range(30)", "seed=SEED", "", "seed=SEED if episode == 0 else None"),
        ("n", "range(1, 9)", "options={}, seed=3", "", "options={}, seed=3 if n == 1 else None"),
        ("_", "range(30)", "seed=3", "for episode in", "seed=3 if episode == 0 else None"),
        ("at", "range(9)", "seed=a or b", "", "seed=(a or b) if at == 0 else None"),
    ],
)
def test_seed_is_given_in_the_first_round(
    variable: str, over: str, given: str, loop: str, seeded: str
) -> None:
    text = EPISODES.format(variable=variable, over=over, given=given)
    expected = text.replace(f"reset({given})", f"reset({seeded})")
    assert cured(SeedOnce, text, "make") == expected.replace("for _ in", loop or "for _ in")


OFTEN = "for step in range(9):\n    if play(env):\n        env.reset({seed})\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "while more():\n    env.reset(seed=SEED)\n",
            "env.reset(seed=SEED)\nwhile more():\n    env.reset()\n",
        ),
        (
            "for _ in range(9):\n    env.seed(SEED)\n    env.reset()\n",
            "env.seed(SEED)\nfor _ in range(9):\n    env.reset()\n",
        ),
        (
            f"env.reset(seed=3)\n{OFTEN.format(seed='seed=3')}",
            f"env.reset(seed=3)\n{OFTEN.format(seed='')}",
        ),
        (OFTEN.format(seed="seed=3"), f"env.reset(seed=3)\n{OFTEN.format(seed='')}"),
    ],
    ids=["no rounds are counted", "an older interface", "it was given above", "episodes that end"],
)
def test_seed_is_given_above_the_loop(text: str, expected: str) -> None:
    made = "env = make()\n"
    assert cured(SeedOnce, made + text, "make") == made + expected


def test_seeds_of_another_function_stay() -> None:
    text = EPISODES.format(variable="episode", over="range(30)", given="seed=SEED")
    test = textwrap.indent(text.replace("make()", "load()"), "    ")
    test = f"def evaluate():\n{test}"
    once = text.replace("seed=SEED", "seed=SEED if episode == 0 else None")
    assert cured(SeedOnce, test + text, "env = make()") == test + once


def test_function_that_takes_the_environment_gives_the_seed_once() -> None:
    loop = textwrap.indent("for n in range(9):\n    env.reset({})\n", "    ")
    text = f"def play(env):\n{loop}env = make()\nplay(env)\n"
    expected = text.format("seed=3 if n == 0 else None")
    assert cured(SeedOnce, text.format("seed=3"), "make()") == expected


@pytest.mark.parametrize(
    "text",
    [
        "env = make()\ntest = load()\nfor n in range(9):\n    test.reset(seed=n)\n",
        "env = make()\nwhile more():\n    seed = draw()\n    env.reset(seed=seed)\n",
        "makes = [lambda: make()]\nfor n in range(9):\n    a.reset(seed=1)\n    b.reset(seed=1)\n",
        "env = make()\nenv.reset()\n",
    ],
    ids=["of another instance", "drawn in the loop", "of two instances", "no seed"],
)
def test_reset_of_something_else_keeps_its_seed(text: str) -> None:
    assert cured(SeedOnce, text, "make") == ""


ROUNDS = """\
def train():
    for episode in range(30):  # episodes
        env = make()
        env = Limit(env, 20)
        env.reset(seed=episode)

        play(env)
        env.close()
    show()
"""


def test_loop_resets_one_instance() -> None:
    assert cured(MakeOnce, ROUNDS, "make()") == (
        "def train():\n    env = make()\n    env = Limit(env, 20)\n"
        "    for episode in range(30):  # episodes\n        env.reset(seed=episode)\n\n"
        "        play(env)\n    env.close()\n    show()\n"
    )
    assert cured(MakeOnce, ROUNDS.replace("        env.close()\n", ""), "make()").endswith(
        "        play(env)\n    show()\n"
    )


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("make()", "make(episode)"),
        ("        play(env)", "        env.close(); play(env)"),
        ("    show()", "    else:\n        show()"),
        ("for episode in range(30):", "if True:"),
        ("play(env)", 'play(env, """\n""")'),
        ("Limit(env, 20)", "Limit(env, episode)"),
        ("make()", "make(choice(LEVELS))"),
        ("        play(env)", "        envs.append(env)"),
    ],
    ids=[
        "it depends on the round",
        "two in a line",
        "an else",
        "no loop",
        "a long text",
        "a wrapper depends on it",
        "drawn",
        "kept",
    ],
)
def test_instance_of_each_round_stays(old: str, new: str) -> None:
    assert cured(MakeOnce, ROUNDS.replace(old, new), "make(") == ""


THUNKS = """
def make_env(rank):
    def thunk():
        env = make("Arm-v0")
        env = Limit(env, 5)
        return env

    return thunk


def evaluate(policy):
    env = make_env(0)()
    env.step(policy())


def train():
    envs = AsyncVectorEnv([make_env(rank) for rank in range(2)])
"""


def test_environment_of_a_function_that_another_one_returns_is_closed_where_it_is_used() -> None:
    text = cured(CloseMade, THUNKS, 'make("Arm-v0")')
    assert (
        "    env = make_env(0)()\n    try:\n        env.step(policy())\n"
        "    finally:\n        env.close()\n"
    ) in text


def test_factories_that_are_called_in_several_places_are_left() -> None:
    several = THUNKS + "    env = make_env(1)()\n"
    assert cured(CloseMade, several, 'make("Arm-v0")') == ""


TWICE = """
def make_env(number):
    env = Arm()
    env.action_space.seed(number)
    return env

def learn(number):
    env = make_env(number)
    evaluated = make_env(number + 1)
    play(env, evaluated)

def show():
    shown = make_env(9)
    shown.reset()
"""


def test_instances_of_one_function_are_closed_where_each_is_used() -> None:
    together = TWICE.partition("\ndef show")[0]
    assert cured(CloseMade, together, "Arm()").endswith(
        "    evaluated = make_env(number + 1)\n    try:\n        play(env, evaluated)\n"
        "    finally:\n        env.close()\n        evaluated.close()\n"
    )
    under_condition = f"{together}    if DEBUG:\n        env.close()\n        evaluated.close()\n"
    assert cured(CloseMade, under_condition, "Arm()").endswith(
        "    play(env, evaluated)\n    env.close()\n    evaluated.close()\n"
    )
    apart = TWICE.replace("    evaluated = make_env(number + 1)\n", "")
    closed_apart = cured(CloseMade, apart.replace("play(env, evaluated)", "play(env)"), "Arm()")
    assert "        play(env)\n    finally:\n        env.close()\n" in closed_apart
    assert closed_apart.endswith("        shown.reset()\n    finally:\n        shown.close()\n")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("    play(env, evaluated)", "    play(env, evaluated)\n    env.close()"),
        ("    play(env, evaluated)", "    return play(env), evaluated"),
        ("    play(env, evaluated)", "    KEPT.append(evaluated)\n    play(env)"),
        ("    evaluated = make", "    env = make"),
        ("    evaluated = make", "    env.reset()\n    evaluated = make"),
    ],
)
def test_instances_of_one_function_that_may_be_used_later_are_left(old: str, new: str) -> None:
    together = TWICE.partition("\ndef show")[0]
    assert cured(CloseMade, together.replace(old, new), "Arm()") == ""


POOL = """
class Pool:
    def __init__(self, makers):
        self.envs = [
            make() for make in makers
        ]
        self.size = len(makers)
"""


def test_unused_attribute_is_not_made() -> None:
    assert cured(MakeNothing, POOL, "make() for") == (
        "class Pool:\n    def __init__(self, makers):\n        self.size = len(makers)\n"
    )


@pytest.mark.parametrize(
    "used",
    [
        "    def close(self):\n        for env in self.envs:\n            env.close()\n",
        "    def first(self):\n        return getattr(self, 'envs')[0]\n",
    ],
    ids=["an attribute that is read", "one that is read by its name"],
)
def test_used_attribute_is_made(used: str) -> None:
    assert not cured(MakeNothing, f"{POOL}\n{used}", "make() for")


def test_variables_are_made() -> None:
    assert not cured(MakeNothing, "def train():\n    env = make()\n    return env\n", "make()")
