"""Schemas that others wrote, and that are not ours to carry. ENVDOCTOR_SCHEMAS names a folder that
holds them:

sarif-schema-2.1.0.json   OASIS, sarif-spec, sarif-2.1/schema
junit-10.xsd              Jenkins, xunit-plugin, types/model/xsd; needs the package xmlschema
codeclimate.json          GitLab, app/validators/json_schemas

Without them these tests are skipped. What stands beside them holds the reports against the part of
each schema that we write.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest


def _file(name: str) -> Path:
    folder = os.environ.get("ENVDOCTOR_SCHEMAS")
    if not folder or not Path(folder, name).is_file():
        pytest.skip(f"ENVDOCTOR_SCHEMAS names no folder with {name}")
    return Path(folder, name)


def json_schema(name: str) -> Any:
    """A validator for a JSON Schema of any draft."""
    from jsonschema import validators  # type: ignore[import-untyped]

    schema = json.loads(_file(name).read_text(encoding="utf-8"))
    kind = validators.validator_for(schema)
    return kind(schema, format_checker=kind.FORMAT_CHECKER)


def xml_schema(name: str) -> Any:
    """An XML Schema with a method `validate`."""
    file = _file(name)
    return pytest.importorskip("xmlschema").XMLSchema(str(file))
