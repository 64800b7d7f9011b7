"""Hooks that schemathesis loads before its run: what docs/openapi.json cannot say."""

import json
import os
import re

import schemathesis

OFFER = os.environ["FACEPLATE_OFFER"]
with open(os.environ["FACEPLATE_OPENAPI"], encoding="utf-8") as file:
    PATHS = json.load(file)["paths"]
WHEP = PATHS["/api/stream/whep/{id}"]["post"]["requestBody"]["content"]["application/json"]["schema"]["properties"]
CAMERA = re.compile(WHEP["url"]["pattern"])


def is_right(value, schema):
    """Whether the schema accepts a text: what is wrong on purpose stays as it is."""
    return isinstance(value, str) and schema.get("minLength", 0) <= len(value) <= schema["maxLength"]


def changed(fields):
    """Corrects fields that are right by the schema, but wrong by rules that no schema can state."""
    fields = dict(fields)
    # Nothing listens on port 9 of this machine: no request of a run leaves it.
    if is_right(fields.get("url"), WHEP["url"]) and CAMERA.match(fields["url"]):
        fields["url"] = "rtsp://127.0.0.1:9/door"
    if is_right(fields.get("sdp"), WHEP["sdp"]):
        fields["sdp"] = OFFER
    if isinstance(fields.get("host"), str) and re.fullmatch(r"\d{1,3}(\.\d{1,3}){3}", fields["host"]):
        fields["host"] = "127.0.0.1"
    # The two times of the alarm must differ, also if only one is given.
    for field, time in (("onTime", "07:00"), ("offTime", "22:00")):
        if isinstance(fields.get(field), str) and re.fullmatch(r"([01]\d|2[0-3]):[0-5]\d", fields[field]):
            fields[field] = time
    return fields


@schemathesis.hook
def before_call(context, case, kwargs):
    if isinstance(case.body, dict):
        case.body = changed(case.body)
    if isinstance(case.query, dict):
        case.query = changed(case.query)
