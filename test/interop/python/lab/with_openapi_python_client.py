"""Calls each case of the laboratory with the client of openapi-python-client."""

import importlib
import pkgutil
from base64 import b64decode
from functools import partial
from io import BytesIO
from typing import Any

import lab_client.api
from lab_client import Client
from lab_client.types import File, Response

from cases import NATIVE, URL, Tags, call_cases, members_of, models_in, plain, untag


def decode(value: Any, annotation: Any, in_json: Tags) -> Any:
    """Models have decoders. Dates and files are parameters, or members of models."""
    for model in models_in(annotation):
        try:
            return model.from_dict(untag(value, {**in_json, "$file": lambda file: b64decode(file["bytes"])}))
        except (KeyError, TypeError, ValueError):
            pass  # It is another one of the union.
    return untag(value, {**NATIVE, "$bytes": lambda text: File(BytesIO(b64decode(text)))})


def report(answer: Response[Any], annotation: Any) -> Any:
    decoded = answer.parsed
    if not hasattr(annotation, "from_dict") or isinstance(decoded, annotation):
        return decoded
    body = decoded.to_dict() if decoded else {}
    return annotation.from_dict(members_of(answer.status_code, answer.headers, body))


client = Client(base_url=URL)
operations = {
    plain(name.split(".")[-1]): partial(importlib.import_module(name).sync_detailed, client=client)
    for _, name, is_package in pkgutil.walk_packages(lab_client.api.__path__, "lab_client.api.")
    if not is_package
}
call_cases(operations, decode, report)
