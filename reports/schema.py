"""JSON Schemas (draft 2020-12), derived from the types of the values that are written.

A type's schema comes from its fields, their limits and their docstrings. A dataclass can list other
values in `WRITTEN`. pydantic builds the schemas and checks stored values. It is imported on first
use, because no bot or worker needs it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from functools import cache, partial
from operator import attrgetter
from types import NoneType
from typing import Annotated, Any, TypeVar, get_type_hints

from typing_extensions import get_original_bases, is_typeddict

Schema = dict[str, Any]

T = TypeVar("T")


class About:
    """A description and limits for `Annotated`; limits have pydantic's names, such as `ge`."""

    def __init__(self, description: str = "", *, shape: Any = None, **limits: float) -> None:
        """Keep them; a value that is already JSON can take the `shape` of another type."""
        self._description = description
        self._shape = shape
        self._limits = limits

    def __get_pydantic_core_schema__(self, source: Any, handler: Callable[[Any], Any]) -> Any:
        """Return pydantic's validator of the value, with the limits."""
        return {**handler(self._shape or source), **self._limits}

    def __get_pydantic_json_schema__(self, core: Any, handler: Callable[[Any], Schema]) -> Schema:
        """Return the value's schema, with the description."""
        said = {"description": self._description} if self._description else {}
        return {**handler(core), **said}


Count = Annotated[int, About(ge=0)]
Positive = Annotated[int, About(ge=1)]
Amount = Annotated[float, About(ge=0)]
Share = Annotated[float, About(ge=0, le=1)]


def written_paths(kind: Any) -> tuple[str, ...]:
    """Return the paths of the values that are written of a dataclass or named tuple, in order.

    These are its fields, or the paths in its `WRITTEN`: fields, properties, and values of a field,
    such as `rating.mu`, which are written under their last name.
    """
    if hasattr(kind, "WRITTEN"):
        paths: tuple[str, ...] = kind.WRITTEN
        return paths
    return tuple(one.name for one in fields(kind)) if is_dataclass(kind) else tuple(kind._fields)


def written(value: Any, digits: int | None = None) -> Any:
    """Return a value as JSON; dataclasses and named tuples become objects.

    Fractions are rounded to `digits` decimals. Default: all digits.
    """
    kind: Any = type(value)
    if kind is float:
        return value if digits is None else round(value, digits) + 0.0  # no -0.0
    if kind is dict:
        return {name: written(inner, digits) for name, inner in value.items()}
    if kind in (tuple, list):
        return [written(inner, digits) for inner in value]
    if isinstance(value, str | int | NoneType):
        return value
    return {name: written(get(value), digits) for name, get in _getters(kind).items()}


@cache
def _getters(kind: type) -> dict[str, attrgetter[Any]]:
    """Return the getter of each written value, by its name."""
    return {path.rpartition(".")[2]: attrgetter(path) for path in written_paths(kind)}


def schema_of(kind: Any, title: str, *, may_grow: bool = False) -> Schema:
    """Return the schema of a dataclass or TypedDict as a complete document.

    With `may_grow`, it accepts fields that later versions add.
    """
    shape = shape_of(kind, may_grow=may_grow)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **shape, "title": title}


@cache
def shape_of(kind: Any, *, may_grow: bool = False) -> Schema:
    """Return the schema of a dataclass or TypedDict as a part of another schema."""
    from pydantic import ConfigDict, TypeAdapter  # start-up time
    from pydantic.json_schema import GenerateJsonSchema

    class AsWritten(GenerateJsonSchema):
        """A generator whose TypedDicts inherit the docstrings of fields."""

        def field_is_required(self, field: Any, total: bool) -> bool:  # noqa: ARG002 - pydantic's
            return bool(field.get("required", True))

        def typed_dict_schema(self, schema: Any) -> Schema:
            made = super().typed_dict_schema(schema)
            for base in filter(is_typeddict, get_original_bases(schema["cls"])):
                for name, inherited in shape_of(base)["properties"].items():
                    if "description" in inherited:
                        made["properties"][name].setdefault("description", inherited["description"])
            return made

        def dataclass_schema(self, schema: Any) -> Schema:
            made, cls = super().dataclass_schema(schema), schema["cls"]
            known, made["properties"] = made["properties"], {}
            for path in written_paths(cls):
                within, _, name = path.rpartition(".")
                if path in known:
                    found = known[path]
                elif within:
                    owner = get_type_hints(cls)[within.partition(".")[0]]
                    found = shape_of(owner)["properties"][name]
                else:
                    getter = getattr(cls, name).fget
                    kind = get_type_hints(getter, include_extras=True)["return"]
                    found = TypeAdapter(kind).json_schema(mode="serialization")
                    found["description"] = getter.__doc__.removeprefix("Return ")
                made["properties"][name] = found
            return {**made, "required": list(made["properties"])}

    # In a list, because pydantic refuses a configuration for types that have their own.
    made = TypeAdapter(list[kind], config=ConfigDict(use_attribute_docstrings=True)).json_schema(
        mode="serialization", schema_generator=AsWritten
    )
    written: Schema = _written_out(made["items"], made["$defs"], is_closed=not may_grow)
    return written


def _written_out(schema: Any, definitions: Mapping[str, Schema], *, is_closed: bool) -> Any:
    """Return a schema or a part of it, without references, pydantic's titles and defaults.

    If `is_closed`, objects must not have other fields than the named ones.
    """
    written = partial(_written_out, definitions=definitions, is_closed=is_closed)
    if isinstance(schema, list):
        return [written(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    if reference := schema.get("$ref"):
        schema = {**definitions[reference.rpartition("/")[2]], **schema}
    not_ours = ("$ref", "title", "default", "properties")
    found = {key: written(value) for key, value in schema.items() if key not in not_ours}
    if "description" in schema:
        found["description"] = " ".join(schema["description"].split()).replace("None", "null")
    if "properties" in schema:
        found["properties"] = {name: written(one) for name, one in schema["properties"].items()}
        if is_closed:
            found["additionalProperties"] = False
    return found


def checked(value: object, kind: type[T]) -> T:
    """Return a dataclass from stored JSON; raises ValueError if the JSON does not fit."""
    from pydantic import ValidationError  # start-up time

    plain: type = kind
    try:
        found: T = _adapter(plain).validate_python(value)
    except ValidationError as error:
        first = error.errors()[0]
        words = ": ".join(filter(None, (".".join(map(str, first["loc"])), first["msg"])))
        name = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", kind.__name__).lower()
        raise ValueError(f"not a valid {name}: {words}") from error
    return found


@cache
def _adapter(kind: type) -> Any:
    """Return the validator of a type; building one takes milliseconds."""
    from pydantic import TypeAdapter  # start-up time

    return TypeAdapter(kind)
