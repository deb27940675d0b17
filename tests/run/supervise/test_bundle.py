from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
import zipfile

import pytest

import envdoctor
from envdoctor.run.supervise import bundle

PROBE = """
import sys
from envdoctor.model.scenario import Scenario

def main():
    print(Scenario("life", "make").verbs[0], sys.argv[1], Scenario.__module__, main.__code__.co_filename)
"""


@pytest.fixture
def small(tmp_path, monkeypatch):
    """A bundle of the real model and a probe of one line."""
    package = tmp_path / "src" / "envdoctor"
    shutil.copytree(os.path.join(os.path.dirname(envdoctor.__file__), "model"), package / "model")
    (package / "probe").mkdir()
    (package / "probe" / "__init__.py").touch()
    (package / "probe" / "main.py").write_text(PROBE)
    for name in bundle.ALSO:
        (package / name).touch()
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    monkeypatch.setattr(envdoctor, "__file__", str(package / "__init__.py"))
    for file in bundle.sources().values():
        bundle.compiled(file)  # what was just compiled is marshalled otherwise than what was read
    return bundle.write_bundle(tmp_path)


def run(python, path):
    return subprocess.run(
        [python, "-I", path, "7"], capture_output=True, text=True, timeout=600, check=False
    )


def test_runs_in_this_python(small):
    assert run(sys.executable, small).stdout.split() == [
        "make",
        "7",
        "envdoctor.model.scenario",
        "bundle.pyz/envdoctor/probe/main.py",
    ]


@pytest.mark.parametrize("version", ["3.8", "3.9", "3.13"])
def test_runs_in_other_pythons(small, version):
    python = shutil.which(f"python{version}")
    if python is None or run(python, "--version").returncode:
        pytest.skip(f"no python{version} here")
    done = run(python, small)
    assert (done.stderr, done.stdout.split()[:2]) == ("", ["make", "7"])


def test_bytecode_is_what_runs(small):
    """A source that does not compile is never looked at, as long as the bytecode beside it is
    this version's.
    """
    with zipfile.ZipFile(small) as good, zipfile.ZipFile(small.with_name("bad.pyz"), "w") as bad:
        for name in good.namelist():
            bad.writestr(name, b"(" if name.endswith(".py") else good.read(name))
    assert run(sys.executable, small.with_name("bad.pyz")).returncode == 0


def test_every_source_has_its_bytecode(tmp_path):
    with zipfile.ZipFile(bundle.write_bundle(tmp_path)) as written:
        names = set(written.namelist())
        sources = {name for name in names if name.endswith(".py")}
        assert {name + "c" for name in sources} == names - sources
        assert "envdoctor/model/scenario.py" in sources
        assert not any(
            name.startswith(("envdoctor/rules", "envdoctor/supervise")) for name in names
        )
        assert written.read("envdoctor/__init__.pyc")[:4] == importlib.util.MAGIC_NUMBER


def test_bundle_is_cached_until_a_source_changes(small, tmp_path):
    first, cached = small.read_bytes(), bundle._cached_file()
    assert cached.read_bytes() == first
    cached.write_bytes(b"of another state")
    assert bundle.write_bundle(tmp_path).read_bytes() == cached.read_bytes() == first
    cached.write_bytes(b"#" + first)  # of these files, by its end: it is taken as it is
    assert bundle.write_bundle(tmp_path).read_bytes() == b"#" + first
    source = tmp_path / "src" / "envdoctor" / "probe" / "main.py"
    source.write_text(PROBE + "#")
    assert bundle.write_bundle(tmp_path).read_bytes() == cached.read_bytes() != first
    assert list(cached.parent.glob("bundle*")) == [cached]


def test_bundle_is_made_where_nothing_can_be_cached(small, monkeypatch, tmp_path):
    first, cached = small.read_bytes(), bundle._cached_file()
    cached.unlink()
    cached.mkdir()
    assert bundle.write_bundle(tmp_path).read_bytes() == first
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    assert bundle._cached_file() is None
    assert bundle.write_bundle(tmp_path).read_bytes() == first
    assert list(cached.parent.glob("bundle*")) == [cached]
