"""Statements of envdoctor on TorchRL, tried with the version that is installed (0.14.1 when this
was written).

ENVDOCTOR_TORCHRL_PYTHON names an interpreter that has it. Where the installed version does
otherwise than was read in its source, the test says what it does, and its docstring what was read.
"""

from __future__ import annotations

import sys

import pytest

from tests.frameworks.statements import fixtures
from tests.frameworks.test_torchrl import PYTHON, needs_torchrl

HEAD = """
import inspect, logging, warnings, weakref
warnings.simplefilter("ignore")
import torch
from torchrl.envs import EnvCreator, GymEnv, GymWrapper, ParallelEnv, SerialEnv
from torchrl.envs.utils import check_env_specs

def wrapped(bad=None, **acts):
    "Factories of wrapped environments: alike, or with one of its own that fails in workers."
    made = factories(2, bad, **acts)
    if bad is None:
        one = lambda: GymWrapper(Env(**acts))
        return [one, one]
    return [lambda build=build: GymWrapper(build()) for build in made]

def launch(bad=None, method="fork", options={}, **acts):
    envs = ParallelEnv(2, wrapped(bad, **acts), mp_start_method=method, auto_wrap_envs=False, **options)
    if envs.is_closed:
        envs.start()
    return envs

def step(envs):
    return outcome(lambda: envs.step(envs.rand_action(envs.reset())))

def left(pids):
    "The workers that are there, those that ended but were not waited for too."
    return [pid for pid in pids if os.path.exists("/proc/%d" % pid)]

logging.getLogger("torchrl").setLevel(logging.ERROR)  # it logs on standard output
"""

pytestmark = [
    needs_torchrl,
    pytest.mark.skipif(sys.platform != "linux", reason="reads /proc"),
    pytest.mark.everything,
]


holder, told = fixtures(PYTHON, HEAD)


def test_the_checker_does_not_close_and_a_wrapper_closes_at_each_call_of_close(told):
    seen = told("""
        env = GymWrapper(Env())
        check_env_specs(env)
        checked = logged("closing")
        env.close()
        env.close()
        tell(checked=checked, closing=logged("closing"))
    """)
    assert (seen["checked"], seen["closing"]) == (0, 2)


def test_a_wrapper_swallows_an_attribute_error_of_close_and_passes_on_others(told):
    """Also those that were raised inside the environment's own close()."""
    seen = told("""
        def forget():
            raise AttributeError("recorder")
        tell(attribute=outcome(GymWrapper(Env(close=forget)).close), runtime=outcome(GymWrapper(Env(close=fail)).close))
    """)
    assert (seen["attribute"], seen["runtime"]) == ("ok", "RuntimeError")


def test_a_wrapper_is_closed_when_it_is_collected_because_it_is_in_a_cycle_and_what_that_raises_is_swallowed(
    told,
):
    """The cycle is not in what was read; it keeps what is wrapped until the collector runs."""
    seen = told("""
        first = GymWrapper(Env())  # TorchRL keeps what the first one of a process was made of
        gc.disable()
        env = GymWrapper(Env(close=fail))
        watched = weakref.ref(env)
        del env
        kept = watched() is not None
        gc.collect()
        tell(kept=kept, collected=watched() is None, closing=logged("closing"), closed=logged("closed"))
    """)
    assert seen["kept"] is True
    assert seen["collected"] is True
    assert (seen["closing"], seen["closed"]) == (1, 0)
    assert "Exception ignored" not in seen["stderr"]


@pytest.mark.parametrize(
    "batch",
    [
        "SerialEnv(2, wrapped())",
        "ParallelEnv(2, wrapped(), mp_start_method='fork', auto_wrap_envs=False)",
    ],
)
def test_batches_are_lazy_refuse_to_close_before_use_and_twice_and_start_anew(told, batch):
    """Read was that a restart builds another shadow; it does not."""
    seen = told(f"""
        envs = {batch}
        before, shadow = outcome(envs.close), [logged("made"), logged("closed")]
        envs.reset()
        used = logged("made")
        close, again = outcome(envs.close), outcome(envs.close)
        quietly = outcome(lambda: envs.close(raise_if_closed=False))
        envs.reset()
        tell(before=before, shadow=shadow, used=used, close=close, again=again, quietly=quietly, reopened=logged("made"), last=outcome(envs.close))
    """)
    assert seen["before"] == "RuntimeError"
    assert seen["shadow"] == [1, 1]
    assert seen["used"] == 3
    assert (seen["close"], seen["again"], seen["quietly"]) == ("ok", "RuntimeError", "ok")
    assert seen["reopened"] == 5
    assert seen["last"] == "ok"


def test_serial_a_failing_close_keeps_the_others_open(told):
    seen = told("""
        envs = SerialEnv(2, wrapped(close=lambda: fail() if logged("made") > 1 else None))  # the shadow is closed well
        envs.start()
        before = logged("closing")
        tell(close=outcome(envs.close), closing=logged("closing") - before)
    """)
    assert (seen["close"], seen["closing"]) == ("RuntimeError", 1)


def test_one_shadow_for_equal_factories_one_each_for_others_and_none_with_metadata_from_workers(
    told,
):
    seen = told("""
        def shadows(**options):
            before = logged("made", True)
            launch(**options).close()
            return logged("made", True) - before
        tell(equal=shadows(), others=shadows(bad=5), none=shadows(options={"metadata_from_workers": True}))
    """)
    assert (seen["equal"], seen["others"], seen["none"]) == (1, 2, 0)


def test_a_shadow_whose_close_raises_is_reported(told):
    assert (
        told("tell(launch=outcome(lambda: SerialEnv(2, wrapped(close=fail))))")["launch"]
        == "RuntimeError"
    )


def test_a_lambda_is_wrapped_in_a_creator_that_resets_and_steps_one_shadow_and_does_not_close_it_where_that_fails(
    told,
):
    """A second shadow, which is neither reset nor stepped, is built to look at its transforms;
    that one was not read.
    """
    seen = told("""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            ParallelEnv(2, lambda: GymWrapper(Env(reset=lambda: log("reset"), step=lambda: log("step"))), mp_start_method="fork")
        words = any("lambda" in str(warning.message) for warning in caught)
        lived = [logged(word) for word in ("made", "reset", "step", "closed")]
        failed = outcome(lambda: EnvCreator(lambda: GymWrapper(Env(reset=fail))))
        tell(words=words, lived=lived, failed=failed, closing=logged("closing"))
    """)
    assert seen["words"] is True
    assert seen["lived"] == [2, 1, 1, 2]
    assert (seen["failed"], seen["closing"]) == ("RuntimeError", 2)


def test_defaults(told):
    seen = told("""
        import torchrl
        from torchrl._utils import _get_default_mp_start_method as default
        imported, first = multiprocessing.get_start_method(allow_none=True), default()
        multiprocessing.set_start_method("forkserver", force=True)
        envs = launch()
        parameters = inspect.signature(ParallelEnv.__init__).parameters
        tell(imported=imported, first=first, chosen=default(), pipe=torchrl._utils.BATCHED_PIPE_TIMEOUT, daemon=envs._workers[0].daemon,
             shutdown=parameters["shutdown_timeout"].default, cores=os.cpu_count(), threads=torch.get_num_threads())
    """)
    assert seen["imported"] == "spawn", "the import itself sets it, for all of Python"
    assert (seen["first"], seen["chosen"]) == ("spawn", "forkserver")
    assert seen["pipe"] >= 10000
    assert seen["shutdown"] == 10.0
    assert seen["daemon"] is False
    assert seen["threads"] <= max(1, seen["cores"]), "it leaves a thread to each worker"


@pytest.mark.parametrize("buffers", [True, False])
def test_parallel_a_step_that_raises_ends_the_worker_without_close_and_the_parent_hears_of_a_dead_worker(
    told, buffers
):
    seen = told(f"""
        envs = launch(bad=1, step=fail, options=dict(use_buffers={buffers}, shutdown_timeout=1.0))
        pids = [worker.pid for worker in envs._workers]
        seen = step(envs)
        tell(seen=seen, closing=logged("closing", False), again=outcome(envs.close), left=left(pids))
    """)
    assert seen["seen"] in ("RuntimeError", "EOFError")
    assert seen["closing"] <= 1, "the one that is well is closed"
    assert "on purpose" in seen["stderr"]
    assert seen["left"] == []


def test_parallel_a_killed_worker_raises_and_leaves_none(told):
    seen = told("""
        envs = launch(bad=1, step=die, options=dict(shutdown_timeout=1.0))
        pids = [worker.pid for worker in envs._workers]
        seen = step(envs)
        tell(seen=seen, close=outcome(envs.close), left=left(pids))
    """)
    assert seen["seen"] == "RuntimeError"
    assert seen["left"] == []


def test_parallel_a_constructor_that_fails_shows_as_the_end_of_a_pipe_and_leaves_none(told):
    seen = told("""
        call = lambda: launch(bad=1, make=fail, options=dict(shutdown_timeout=1.0))
        seen = outcome(call)
        tell(seen=seen, left=[state(worker) for worker in multiprocessing.process._children])
    """)
    assert seen["seen"] == "EOFError"
    assert not set(seen["left"]) - {"", "Z"}


def test_parallel_nobody_hears_that_close_raised_but_for_the_exit_code(told):
    seen = told("""
        envs = launch(bad=1, close=fail, options=dict(shutdown_timeout=1.0))
        workers = list(envs._workers)
        tell(close=outcome(envs.close), codes=[worker.exitcode for worker in workers])
    """)
    assert seen["close"] == "ok"
    assert seen["codes"] == [0, 1]
    assert "on purpose" in seen["stderr"]


def test_parallel_a_close_that_hangs_is_bounded_and_its_worker_is_ended(told):
    seen = told("""
        envs = launch(bad=1, close=sleep_for_ever, options=dict(shutdown_timeout=0.5))
        workers = list(envs._workers)
        tell(close=outcome(envs.close), codes=[worker.exitcode for worker in workers], left=[state(worker) for worker in workers])
    """)
    assert seen["close"] == "ok"
    assert seen["codes"][1] in (-15, -9)
    assert set(seen["left"]) == {""}, "no zombies either"


def test_parallel_its_workers_are_waited_for_when_python_exits_so_that_one_that_is_not_closed_hangs_it(
    told,
):
    seen = told("""
        def script(close):
            envs = launch()
            if close:
                envs.close()
            script.envs = envs  # as a global of a script's, which is there until the end
        def ends(close):
            process = multiprocessing.get_context("fork").Process(target=script, args=(close,))
            process.start()
            process.join(30.0 if close else 6.0)
            return not process.is_alive()
        tell(closed=ends(True), forgotten=ends(False))
    """)
    assert (seen["closed"], seen["forgotten"]) == (True, False)


def test_seeds_are_chained_and_differ(told):
    seen = told("""
        seeds = []
        class Seeded(Env):
            def reset(self, *, seed=None, options=None):
                if seed is not None:
                    log("seed-%d" % seed)
                return super().reset(seed=seed)
        envs = SerialEnv(3, lambda: GymWrapper(Seeded()))
        envs.set_seed(0)
        tell(seeds=[line.split()[1] for line in open(LOG) if "seed" in line])
    """)
    assert seen["seeds"][0] == "seed-0"
    assert len(set(seen["seeds"])) == 3


def test_gym_env_builds_without_gymnasiums_checker(told):
    seen = told("""
        layers, env = [], GymEnv("CartPole-v1")._env
        while hasattr(env, "env"):
            layers.append(type(env).__name__)
            env = env.env
        tell(layers=layers)
    """)
    assert "PassiveEnvChecker" not in seen["layers"]


def test_an_id_of_the_script_is_unknown_to_a_spawned_worker_and_known_to_a_forked_one(told):
    seen = told("""
        gymnasium.register("Mine-v0", entry_point=Env)
        def play(method):
            envs = ParallelEnv(2, lambda: GymWrapper(gymnasium.make("Mine-v0")), mp_start_method=method, auto_wrap_envs=False, shutdown_timeout=1.0)
            envs.reset()
            envs.close()
        tell(fork=outcome(lambda: play("fork")), spawn=outcome(lambda: play("spawn"), 200.0))
    """)
    assert (seen["fork"], seen["spawn"]) == ("ok", "EOFError")


def test_storages_what_they_take_and_what_stays(told):
    seen = told("""
        import tempfile
        from tensordict import TensorDict
        from torchrl.data import LazyMemmapStorage, LazyTensorStorage, ListStorage
        rows = TensorDict({"observation": torch.zeros(4, 1000)}, [4])
        listed, whole = ListStorage(100), LazyTensorStorage(100)
        listed.set(range(4), rows)
        whole.set(range(4), rows)
        folder = tempfile.mkdtemp(dir=".")
        mapped = LazyMemmapStorage(100, scratch_dir=folder)
        mapped.set(range(4), rows)
        size = lambda: sum(os.path.getsize(os.path.join(at, name)) for at, _, names in os.walk(folder) for name in names)
        before = size()
        del mapped
        gc.collect()
        tell(kind=type(listed._storage).__name__, capacity=whole._storage.shape[0], before=before, after=size())
    """)
    assert seen["kind"] == "list"
    assert seen["capacity"] == 100
    assert seen["before"] >= 100 * 1000 * 4
    assert seen["after"] == seen["before"], "nobody clears a folder that was chosen"
