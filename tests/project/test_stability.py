"""All that docs/stability.md promises is there, and new names are written down."""

from __future__ import annotations

import pytest

from tests.project import stable

PAGE = stable.ROOT / "docs" / "stability.md"


@pytest.fixture(scope="module")
def present() -> set[str]:
    return stable.present()


def test_everything_stable_is_still_there(present: set[str]) -> None:
    assert sorted(stable.promised() - present) == [], "these go only in a new major version"


def test_new_names_are_in_the_list_of_stable_names(present: set[str]) -> None:
    assert sorted(present - stable.promised()) == [], "run `make docs`"


def test_an_option_that_takes_a_value_and_a_key_with_another_type_are_other_lines() -> None:
    schema = {
        "properties": {"code": {"type": "string"}, "rows": {"items": {"$ref": "#/$defs/row"}}},
        "$defs": {"row": {"properties": {"n": {"type": ["null", "integer"]}}}},
    }
    assert list(stable.json_keys(schema)) == [".code string", ".rows", ".rows[].n integer or null"]
    schema["properties"]["code"]["type"] = "integer"
    assert ".code integer" in stable.json_keys(schema)


def test_a_schema_that_refers_to_itself_is_read_once() -> None:
    tree = {"properties": {"child": {"$ref": "#/$defs/tree"}}}
    schema = {"$ref": "#/$defs/tree", "$defs": {"tree": tree}}
    assert list(stable.json_keys(schema)) == [".child"]


def test_each_kind_of_promise_is_on_the_page() -> None:
    page = PAGE.read_text(encoding="utf-8")
    kinds = {line.split()[0].partition(".")[0] for line in stable.promised()}
    assert sorted(kind for kind in kinds if f"`{kind}`" not in page) == []
