"""JSON Schemas are made from the types of what is written, and values are read back by them."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from typing import Annotated, Any

import pytest
from jsonschema import Draft202012Validator
from typing_extensions import TypedDict

from lath.reports import export, outcome
from lath.reports.page import document, index
from lath.reports.schema import About, Count, schema_of

SCHEMAS = {
    "outcome": outcome.schema,
    "standings": export.schema,
    "report": document.schema,
    "index": index.schema,
}


class Animal(TypedDict):
    """Something that lives."""

    legs: Count
    """how many it walks on;
    none swim"""


class Dog(Animal):
    """A friend."""

    name: Annotated[str, About("what it comes to")]
    weight_kg: Annotated[float, About(gt=0)] | None


@dataclass(frozen=True)
class Kennel:
    """Where dogs live."""

    dogs: tuple[Dog, ...]
    """The oldest first."""

    doors: int = 1


def test_a_schema_has_limits_docstrings_and_what_another_type_has() -> None:
    dog = schema_of(Kennel, "Kennel")["properties"]["dogs"]
    assert dog["description"] == "The oldest first."
    assert dog["items"] == {
        "type": "object",
        "description": "A friend.",
        "properties": {
            "legs": {
                "type": "integer",
                "minimum": 0,
                "description": "how many it walks on; none swim",
            },
            "name": {"type": "string", "description": "what it comes to"},
            "weight_kg": {"anyOf": [{"type": "number", "exclusiveMinimum": 0}, {"type": "null"}]},
        },
        "required": ["legs", "name", "weight_kg"],
        "additionalProperties": False,
    }


def test_a_field_with_a_default_is_always_written() -> None:
    assert schema_of(Kennel, "Kennel")["required"] == ["dogs", "doors"]


@pytest.mark.parametrize("name", SCHEMAS)
def test_each_is_a_schema_in_which_every_object_is_closed_and_nothing_is_elsewhere(
    name: str,
) -> None:
    schema = SCHEMAS[name]()
    Draft202012Validator.check_schema(schema)
    assert schema["title"]
    for part in objects_of(schema):
        assert "$ref" not in part
        if "properties" in part:
            assert part["additionalProperties"] is False
            assert set(part["properties"]) - set(part["required"]) <= {
                "outcome",
                "changes",
                "versions",
                "rulings",
                "snapshot",
                "season",
                "provenance",
                "checksum",
            }


def objects_of(value: Any) -> list[dict[str, Any]]:
    """Return all objects within a JSON value."""
    if isinstance(value, list):
        return [found for inner in value for found in objects_of(inner)]
    if not isinstance(value, dict):
        return []
    return [value, *(found for inner in value.values() for found in objects_of(inner))]


def test_who_makes_a_report_does_not_import_pydantic() -> None:
    code = (
        "import sys; from lath.reports.page import page, index; from lath.reports import export; "
        "page.render([]); index.render(index.Collector().document()); "
        "print('pydantic' in sys.modules)"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "False"
