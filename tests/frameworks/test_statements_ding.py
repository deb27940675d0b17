"""Statements of envdoctor on DI-engine's environment managers, tried with the version that is
installed (0.5.3 when this was written).

ENVDOCTOR_DING_PYTHON names an interpreter that has it.
"""

from __future__ import annotations

import sys

import pytest

from tests.frameworks.statements import fixtures
from tests.frameworks.test_ding import PYTHON, needs_ding

HEAD = """
import warnings
warnings.simplefilter("ignore")
import gym
from ding.envs import AsyncSubprocessEnvManager, BaseEnv, BaseEnvManager, BaseEnvTimestep, DingEnvWrapper, SyncSubprocessEnvManager

class Env(BaseEnv):
    "As the other one, by DI-engine's conventions; ends an episode after `length` steps."
    def __init__(self, length=1000, **acts):
        self.acts, self.length, self.steps, self.seeds = acts, length, 0, []
        self.observation_space = gym.spaces.Box(-1.0, 1.0, (1,), numpy.float32)
        self.action_space = gym.spaces.Discrete(2)
        self.reward_space = gym.spaces.Box(0.0, 1000.0, (1,), numpy.float32)
        self.do("make")
        log("made")

    def do(self, name):
        self.acts.get(name, lambda: None)()

    def seed(self, seed, dynamic_seed=True):
        self.seeds.append(seed)
        log("seeded")

    def reset(self, **parameters):
        log("reset:%s" % parameters.get("level", ""))
        self.steps = 0
        self.do("reset")
        return numpy.zeros(1, numpy.float32)

    def step(self, action):
        log("step")
        self.do("step")
        self.steps += 1
        return BaseEnvTimestep(numpy.zeros(1, numpy.float32), numpy.array([self.steps], numpy.float32), self.steps >= self.length, {})

    def close(self):
        log("closing")
        self.do("close")
        log("closed")

    def __repr__(self):
        return "Env()"

def manager(kind, count=2, bad=None, cfg=None, envs=None, **acts):
    "A manager that was not launched; the instance with the index `bad` has the acts, wherever it lives, but not the reference."
    made = []
    def build(index):
        made.append(index)
        reference = len(made) == 1 and os.getpid() == MAIN
        return Env(**(acts if index == bad and not reference else {}))
    settings = kind.default_config()
    settings.update({"retry_waiting_time": 0.01, **(cfg or {})})
    return kind(envs or [lambda index=index: build(index) for index in range(count)], settings)

def base(*args, **kwargs):
    return manager(BaseEnvManager, *args, **kwargs)

def sync(*args, **kwargs):
    return manager(SyncSubprocessEnvManager, *args, **kwargs)

def launched(envs):
    envs.launch()
    return envs

def step(envs):
    return outcome(lambda: envs.step({slot: numpy.array([0]) for slot in range(envs.env_num)}))
"""

pytestmark = [
    needs_ding,
    pytest.mark.skipif(sys.platform != "linux", reason="reads /proc"),
    pytest.mark.everything,
]


holder, told = fixtures(PYTHON, HEAD)


# The wrapper, and lazy environments


def test_the_wrapper_swallows_what_close_raises_and_cannot_be_opened_again(told):
    seen = told("""
        class Real(gymnasium.Env):
            observation_space, action_space = gymnasium.spaces.Box(-1, 1, (1,)), gymnasium.spaces.Discrete(2)
            def reset(self, **_):
                return self.observation_space.sample(), {}
            def close(self):
                fail()
        env = DingEnvWrapper(Real())
        env.reset()
        tell(close=outcome(env.close), flag=env._init_flag, kept=hasattr(env, "_env"))
    """)
    # What raised was not deleted either.
    assert (seen["close"], seen["flag"], seen["kept"]) == ("ok", True, True)
    seen = told("""
        env = DingEnvWrapper(gymnasium.make("CartPole-v1"))
        env.reset()
        tell(close=outcome(env.close), flag=env._init_flag, again=outcome(env.reset))
    """)
    assert (seen["close"], seen["flag"], seen["again"]) == ("ok", True, "AttributeError")


def test_close_before_the_launch_reaches_no_instance(told):
    seen = told("""
        class Lazy(Env):
            def close(self):
                self._simulator.stop()
        alone = outcome(Lazy().close)
        tell(alone=alone, base=outcome(base(envs=[Lazy, Lazy]).close), sync=outcome(sync(envs=[Lazy, Lazy]).close))
    """)
    assert (seen["alone"], seen["base"], seen["sync"]) == ("AttributeError", "ok", "ok")


# Which instances there are


def test_base_builds_a_reference_that_it_neither_resets_nor_closes(told):
    seen = told("""
        envs = launched(base(1))
        envs.close()
        envs.launch()
        envs.close()
        tell(made=logged("made"), closed=logged("closed"), resets=logged("reset:"))
    """)
    assert (seen["made"], seen["closed"], seen["resets"]) == (3, 2, 2)


def test_a_reference_that_knows_no_spaces_is_reset_and_closed_in_the_parent(told):
    seen = told("""
        class Lazy(Env):
            def __init__(self, **acts):
                super().__init__(**acts)
                del self.observation_space
            def reset(self, **parameters):
                self.observation_space = gym.spaces.Box(-1.0, 1.0, (1,), numpy.float32)
                return super().reset(**parameters)
        envs = sync(envs=[Lazy, Lazy])
        tell(made=logged("made", True), resets=logged("reset:", True), closed=logged("closed", True))
    """)
    assert (seen["made"], seen["resets"], seen["closed"]) == (1, 1, 1)


@pytest.mark.parametrize("kind", ["base", "sync"])
def test_reset_reuses_and_a_launch_renews(told, kind):
    seen = told(f"""
        envs = launched({kind}())
        first = logged("made")
        envs.reset()
        again = outcome(envs.launch)
        reset = logged("made")
        envs.close()
        envs.launch()
        tell(first=first, again=again, reset=reset, relaunched=logged("made"), closed=logged("closed"))
    """)
    assert (seen["first"], seen["reset"], seen["relaunched"], seen["closed"]) == (3, 3, 5, 2)
    assert seen["again"] == "AssertionError"


def test_a_seed_is_set_once(told):
    seen = told("""
        envs = base()
        envs.seed(7, dynamic_seed=False)
        envs.launch()
        envs.reset()
        tell(seeds=[env.seeds for env in envs._envs])
    """)
    assert seen["seeds"] == [[7], [8]]


def test_parameters_of_a_reset_are_remembered_for_the_next_ones(told):
    seen = told("""
        envs = launched(base(1, bad=0, length=1))
        envs.reset({0: {"level": 3}})
        step(envs)
        tell(level=logged("reset:3"))
    """)
    assert seen["level"] == 2


# The manager of one process


def test_base_a_failing_close_keeps_the_others_open_and_is_repeated(told):
    seen = told("""
        envs = launched(base(bad=0, close=fail))
        first, closed, closing = outcome(envs.close), envs.closed, logged("closing")
        tell(first=first, closed=closed, closing=closing, second=outcome(envs.close), again=logged("closing"))
    """)
    assert (seen["first"], seen["closed"], seen["closing"]) == ("RuntimeError", False, 1)
    assert (seen["second"], seen["again"]) == ("RuntimeError", 2)


@pytest.mark.parametrize(("retry", "made", "closing"), [("reset", 3, 2), ("renew", 5, 4)])
def test_base_resets_again_or_renews_and_takes_interruptions_for_errors(told, retry, made, closing):
    """Renewing closes the old instance first; in the end all are closed."""
    seen = told(f"""
        def interrupt():
            raise KeyboardInterrupt
        envs = base(bad=0, cfg={{"max_retry": 2, "retry_type": "{retry}"}}, reset=interrupt)
        tell(launch=outcome(envs.launch), resets=logged("reset:"), made=logged("made"), closing=logged("closing"), closed=envs.closed)
    """)
    assert (seen["launch"], seen["resets"], seen["closed"]) == ("RuntimeError", 2, True)
    assert (seen["made"], seen["closing"]) == (made, closing)


def test_base_steps_twice_with_one_action_and_stays_open(told):
    seen = told("""
        envs = launched(base(bad=0, cfg={"max_retry": 2}, step=fail))
        tell(step=step(envs), steps=logged("step"), closed=envs.closed)
    """)
    assert (seen["step"], seen["steps"], seen["closed"]) == ("RuntimeError", 2, False)


def test_time_limits_take_the_handler_of_the_alarm_away(told):
    seen = told("""
        signal.signal(signal.SIGALRM, lambda *_: None)
        envs = launched(base(1, cfg={"step_timeout": 5}))
        envs.step({0: numpy.array([0])})
        tell(default=signal.getsignal(signal.SIGALRM) == signal.SIG_DFL)
    """)
    assert seen["default"] is True


def test_time_limits_hold_in_the_main_thread_only(told):
    """A second more than they say; `outcome` calls from another thread, where there is none."""
    seen = told("""
        alarms = []
        signal.alarm = alarms.append
        envs = launched(base(1, cfg={"step_timeout": 5}))
        envs.step({0: numpy.array([0])})
        here = list(alarms)
        tell(here=here, elsewhere=[step(envs), len(alarms) - len(here)])
    """)
    assert (seen["here"], seen["elsewhere"]) == ([6, 0], ["ok", 0])


# The managers of workers


def test_workers_are_forked_and_daemonic_by_default(told):
    seen = told("""
        envs = launched(sync())
        tell(context=type(envs._subprocesses[0]).__name__, daemon=envs._subprocesses[0].daemon, shared=envs._shared_memory)
    """)
    assert (seen["context"], seen["daemon"], seen["shared"]) == ("ForkProcess", True, True)


def test_shared_memory_cannot_go_to_spawned_workers(told):
    seen = told("""
        try:
            sync(cfg={"context": "spawn"}).launch()
        except RuntimeError as error:
            tell(said=str(error))
    """)
    assert (
        "A SemLock created in a fork context is being shared with a process in a spawn context"
        in seen["said"]
    )


@pytest.mark.parametrize(
    ("raising", "seen_as"),
    [
        ("RuntimeError('real')", "RuntimeError"),
        ("__import__('subprocess').CalledProcessError(3, 'simulator')", "EOFError"),
        ("Lost()", "EOFError"),
        ("SystemExit(3)", "SystemExit"),
    ],
)
def test_exception_reaches_the_parent_where_its_text_can_rebuild_it(told, raising, seen_as):
    """It is built again from its text, in the worker, which ends where that cannot be done; one
    without arguments cannot either.
    """
    seen = told(f"""
        class Lost(Exception):
            def __init__(self):
                self.lock = threading.Lock()
        def fault():
            raise {raising}
        envs = launched(sync(bad=1, step=fault))
        tell(step=step(envs), closed=envs.closed, closing=logged("closing", False))
    """)
    assert seen["step"] == seen_as
    assert (seen["closed"], seen["closing"]) == ((False, 0) if seen_as == "EOFError" else (True, 2))


def test_a_worker_closes_its_instance_when_reset_raises(told):
    seen = told("""
        tell(launch=outcome(sync(bad=1, reset=fail).launch), closing=logged("closing", False))
    """)
    assert seen["launch"] == "RuntimeError"
    assert seen["closing"] >= 2  # the failing one by itself, and by the manager that gives up


@pytest.mark.parametrize(("worker", "other"), [(0, "S"), (1, "Z")])
def test_after_a_killed_worker_close_fails_once_and_those_after_it_live_on(told, worker, other):
    """The first version of this said that all survivors leak: only those whose turn to be told
    comes after the dead one.
    """
    seen = told(f"""
        envs = launched(sync(bad={worker}, step=die))
        broke, first = step(envs), outcome(envs.close)
        survivor = envs._subprocesses[{1 - worker}]
        until(lambda: state(survivor) == "{other}")
        tell(step=broke, first=first, closed=envs.closed, second=outcome(envs.close), other=state(survivor))
    """)
    assert seen["step"] in ("EOFError", "ConnectionResetError")
    assert (seen["first"], seen["closed"], seen["second"], seen["other"]) == (
        "BrokenPipeError",
        True,
        "ok",
        other,
    )


def test_close_asks_each_worker_for_five_seconds_and_ends_those_that_do_not_answer(told):
    seen = told("""
        from multiprocessing.connection import Connection
        envs = launched(sync(bad=1, close=sleep_for_ever))
        asked = []
        def poll(self, timeout=0.0):
            asked.append(timeout)
            return False
        Connection.poll = poll
        envs.close()
        tell(asked=asked, ended=until(lambda: all(state(process) == "Z" for process in envs._subprocesses.values())))
    """)
    assert (seen["asked"], seen["ended"]) == ([5, 5], True)


def test_an_error_in_close_is_lost(told):
    assert told("tell(close=outcome(launched(sync(bad=1, close=fail)).close))")["close"] == "ok"


def test_a_closed_one_leaves_zombies_and_two_descriptors_a_worker_until_the_next_process_is_started(
    told,
):
    seen = told("""
        launched(sync()).close()
        until(lambda: not multiprocessing.active_children())
        before = descriptors()
        envs = launched(sync())
        envs.close()
        zombies = until(lambda: all(state(process) == "Z" for process in envs._subprocesses.values()))
        held = descriptors() - before
        del envs
        gc.collect()
        dropped = descriptors() - before
        multiprocessing.active_children()
        tell(zombies=zombies, held=held, dropped=dropped, reaped=descriptors() - before)
    """)
    assert (seen["zombies"], seen["held"], seen["dropped"], seen["reaped"]) == (True, 4, 4, 0)


def test_renewing_a_worker_starts_another_one(told):
    """The parent closes nothing: the worker has done so itself, when reset() raised."""
    seen = told("""
        broken = multiprocessing.Value("b", True)
        def once():
            if broken.value:
                broken.value = False
                fail("once")
        envs = sync(1, bad=0, cfg={"max_retry": 2, "retry_type": "renew"}, reset=once)
        tell(launch=outcome(envs.launch), workers=logged("made", False), closing=logged("closing", False))
    """)
    assert (seen["launch"], seen["workers"], seen["closing"]) == ("ok", 2, 1)


def test_an_abnormal_step_is_not_followed_by_a_reset(told):
    seen = told("""
        class Odd(Env):
            def step(self, action):
                return super().step(action)._replace(done=True, info={"abnormal": True})
        envs = launched(sync(envs=[Odd]))
        step(envs)
        tell(state=envs._env_states[0].name, resets=logged("reset:", False))
    """)
    assert (seen["state"], seen["resets"]) == ("ERROR", 1)


def test_workers_of_a_killed_parent_end_and_close_nothing(told):
    seen = told("""
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            envs = launched(sync())
            os.write(writer, " ".join(str(process.pid) for process in envs._subprocesses.values()).encode())
            os.kill(os.getpid(), signal.SIGKILL)
        os.waitpid(child, 0)
        pids = os.read(reader, 1000).decode().split()
        def ended(pid):
            try:
                return open("/proc/%s/stat" % pid).read().rpartition(")")[2].split()[0] == "Z"
            except OSError:
                return True
        tell(ended=until(lambda: all(map(ended, pids))), workers=len(pids), closing=logged("closing"))
    """)
    assert (seen["ended"], seen["workers"], seen["closing"]) == (True, 2, 0)
