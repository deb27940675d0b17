"""From a setting that a wrapper keeps, and a client of another event loop, to what reaches the
environment and what is closed in its own loop, by values.
"""

from __future__ import annotations

import pytest

from envdoctor.model.errors import Frame
from envdoctor.model.training_aims import EndOnce, EnterContext, KeepOptions, SetBelow
from tests.remedies.scripts import mended

BY_METHOD = """
def main():
    envs = make_vec_env("Arm-v0")
    envs.set_attr("level", 3, indices=[0])
"""
BY_HAND = """
def main():
    env = make("Arm-v0")
    env.level = 3
    env.unwrapped.mass = 1
"""
OWN = "class Levels(gym.Wrapper):\n    def reset(self):\n        self.{} = 0\n"


def set_below(text: str, name: str, by_method: bool = False) -> str:
    def aim(place: Frame) -> SetBelow:
        return SetBelow(name, place if by_method else None)

    return mended(aim, text, "set_attr" if by_method else "main")


def test_attribute_is_set_where_it_is() -> None:
    assert 'envs.env_method("set_wrapper_attr", "level", 3, indices=[0])' in set_below(
        BY_METHOD, "level", by_method=True
    )
    assert "    env.unwrapped.level = 3\n" in set_below(BY_HAND, "level")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (BY_METHOD, "mass"),
        (BY_METHOD.replace('"level"', "name"), "level"),
        (OWN.format("level") + BY_METHOD, "level"),
        (OWN.format("other").replace("    def", "    level = 1\n    def") + BY_METHOD, "level"),
    ],
    ids=["another one", "by a variable", "a wrapper has it", "its class has it"],
)
def test_attribute_that_a_wrapper_may_need_stays(text: str, name: str) -> None:
    assert set_below(text, name, by_method=True) == ""


@pytest.mark.parametrize(
    "text",
    [
        BY_HAND.replace("env.level", "self.level"),
        f"{BY_HAND}    env.level = 4\n",
        OWN.format("level") + BY_HAND,
        BY_HAND.replace("env.level", "env.unwrapped.level"),
    ],
    ids=["of an object", "two lines", "a wrapper has it", "done already"],
)
def test_attribute_that_is_not_sure_stays(text: str) -> None:
    assert set_below(text, "level") == ""


CLIENT = """
async def reply(port):
    client = Client(port)
    answer = await client.ask("3")
    return answer
"""


def entered(text: str) -> str:
    return mended(lambda _place: EnterContext("Client"), text, "reply")


def test_client_is_closed_in_the_loop_that_it_was_made_in() -> None:
    assert entered(CLIENT) == (
        "async def reply(port):\n"
        "    async with Client(port) as client:\n"
        '        answer = await client.ask("3")\n'
        "        return answer\n"
    )


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("return answer", "return client"),
        ("return answer", "await client.aclose()"),
        ("return answer", "self.client = client"),
        ("async def", "def"),
        ("client = Client(port)", "client = Client(\n        port)"),
    ],
    ids=["returned", "closed", "kept", "no coroutine", "two lines"],
)
def test_client_that_is_used_later_stays_open(old: str, new: str) -> None:
    assert entered(CLIENT.replace(old, new).replace("await client.ask", "client.ask")) == ""


AT_EXIT = """
import asyncio
import atexit

CLIENT = None

def connect():
    global CLIENT
    CLIENT = Client()
    atexit.register(shut_down)

def shut_down():
    asyncio.run(CLIENT.close())

async def main():
    connect()
    await play(CLIENT)

asyncio.run(main())
"""


def test_client_is_closed_by_the_coroutine_that_the_script_runs() -> None:
    after = mended(lambda place: EndOnce(place, "exit", "shut_down"), AT_EXIT, "CLIENT.close")
    assert "atexit" not in after
    assert "shut_down" not in after
    assert after.endswith(
        "async def main():\n    try:\n        connect()\n        await play(CLIENT)\n"
        "    finally:\n        if CLIENT is not None:\n            await CLIENT.close()\n\n"
        "asyncio.run(main())\n"
    )


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("asyncio.run(CLIENT.close())", "CLIENT.close()"),
        ("asyncio.run(CLIENT.close())", "asyncio.run(CLIENT.close())\n    print()"),
        ("asyncio.run(main())", "asyncio.run(main())\nasyncio.run(main())"),
        ("    await play(CLIENT)", "    CLIENT = 3"),
        ("asyncio.run(main())", "asyncio.run(main())\nshut_down()"),
        ("register(shut_down)", "register(shut_down, now=3)"),
    ],
    ids=["plain", "more is done", "two runs", "a local one", "called", "with an argument"],
)
def test_handler_of_the_exit_that_does_more_stays(old: str, new: str) -> None:
    text = AT_EXIT.replace(old, new)
    assert mended(lambda place: EndOnce(place, "exit", "shut_down"), text, "CLIENT.close") == ""


OPTIONS = """
import gymnasium as gym

def main():
    envs = make_vec_env(Arm, n_envs=2{more})
    envs.set_options({{"level": 2}})
"""


def keep_options(more: str = "", text: str = OPTIONS) -> str:
    return mended(KeepOptions, text.format(more=more), "make_vec_env")


def test_options_are_kept_by_a_wrapper() -> None:
    text = keep_options()
    assert "    envs = make_vec_env(Arm, n_envs=2, wrapper_class=KeepOptions)\n" in text
    assert text.index("class KeepOptions(gym.Wrapper):") < text.index("def main")
    imported = keep_options(text=OPTIONS.replace("import gymnasium as gym", "from arm import Arm"))
    assert "import gymnasium\n" in imported
    assert "class KeepOptions(gymnasium.Wrapper):" in imported


def test_options_are_kept_below_another_wrapper() -> None:
    known = OPTIONS.replace("import gymnasium as gym", "from arm import Arm")
    text = keep_options(", wrapper_class=Limit", known)
    assert "make_vec_env(lambda: KeepOptions(Arm()), n_envs=2, wrapper_class=Limit)" in text
    assert keep_options(", wrapper_class=Limit, env_kwargs={{}}", known) == ""
    assert keep_options(", wrapper_class=Limit") == ""


@pytest.mark.parametrize(
    ("old", "new"),
    [("make_vec_env(", "Vec("), ("main()", "KeepOptions()"), ("(Arm, n", "(n")],
    ids=["another vectorizer", "the name is known", "no environment"],
)
def test_options_of_other_vectorizers_stay(old: str, new: str) -> None:
    text = OPTIONS.format(more="").replace(old, new)
    assert mended(KeepOptions, text, "envs =") == ""
