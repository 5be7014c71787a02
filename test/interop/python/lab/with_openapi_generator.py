"""Calls each case of the laboratory with the client of openapi-generator (generator `python`)."""

import functools
import inspect
from base64 import b64decode
from typing import Any

import openapi_client
from openapi_client import ApiClient, Configuration
from openapi_client.exceptions import ApiException
from pydantic import BaseModel

from cases import NATIVE, URL, Operation, Tags, call_cases, members_of, models_in, plain, untag

SUFFIX = "_with_http_info"


def decode(value: Any, annotation: Any, in_json: Tags) -> Any:
    """Models have decoders. Files are pairs of a name and bytes."""
    for model in models_in(annotation):
        return keep_set(model.from_dict(untag(value, in_json)), value)
    return untag(value, {**NATIVE, "$bytes": b64decode, "$file": lambda file: (file["name"], b64decode(file["bytes"]))})


def keep_set(model: Any, value: dict[str, Any]) -> Any:
    """The decoder of a model marks all members as set, also those that are absent."""
    if isinstance(model, BaseModel):
        fields = type(model).model_fields
        model.model_fields_set.intersection_update(name for name in fields if (fields[name].alias or name) in value)
    return model


def report(answer: Any, annotation: Any) -> Any:
    decoded = answer.data
    if not hasattr(annotation, "from_dict") or isinstance(decoded, annotation):
        return decoded
    status = answer.status if isinstance(answer, ApiException) else answer.status_code
    # `to_dict` leaves out what is read-only.
    body = decoded.model_dump(by_alias=True) if decoded else {}
    return annotation.from_dict(members_of(status, answer.headers, body))


def returning_errors(operation: Operation) -> Operation:
    """The client throws responses with an error. A report needs them."""

    @functools.wraps(operation)
    def call(**given: Any) -> Any:
        try:
            return operation(**given)
        except ApiException as error:
            if not error.status:
                raise  # Nothing was sent.
            return error

    return call


client = ApiClient(Configuration(host=URL))
apis = [api(client) for name, api in inspect.getmembers(openapi_client, inspect.isclass) if name.endswith("Api")]
operations = {
    plain(name.removesuffix(SUFFIX)): returning_errors(operation)
    for api in apis
    for name, operation in inspect.getmembers(api, inspect.ismethod)
    if name.endswith(SUFFIX)
}
call_cases(operations, decode, report)
