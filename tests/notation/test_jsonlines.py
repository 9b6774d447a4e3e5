"""Records as JSON: nothing is lost, and the schema describes what is written."""

from __future__ import annotations

import json

import jsonschema

from lath.notation import parse
from lath.notation.data import SCHEMA, from_json, to_json

RECORD = parse("""\
[Game "mammalath"]
[Event "Say \\"hello\\""]

{At last.}
1. c3! {[%emt 0.012] quick [%pv a1 b2]} 2. swap ({why not} 2. d4 (2. e5?) 3. xA) 3. d4 0-1
""")


def test_a_record_comes_back_from_json_whole() -> None:
    assert from_json(json.loads(json.dumps(to_json(RECORD)))) == RECORD


def test_json_records_validate_against_the_published_schema() -> None:
    jsonschema.validate(to_json(RECORD), SCHEMA, cls=jsonschema.Draft202012Validator)


def test_a_ply_without_comments_is_only_its_move() -> None:
    assert to_json(RECORD)["plies"][2] == {"move": "d4"}
