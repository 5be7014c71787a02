"""What the drivers share: they call each case of the laboratory once, with the operations of a generated client."""

import inspect
import json
import os
import re
from base64 import b64decode, urlsafe_b64encode
from collections.abc import Callable, Iterator, Mapping
from datetime import date, datetime
from typing import Any, get_args
from urllib.parse import urljoin
from urllib.request import urlopen

URL = os.environ["LAB_URL"]

Operation = Callable[..., Any]
Tags = Mapping[str, Callable[[Any], Any]]

# What tags stand for: as values of Python, and in the JSON that the decoder of a model reads.
NATIVE: Tags = {"$int64": int, "$date": date.fromisoformat, "$dateTime": datetime.fromisoformat}
IN_JSON: Tags = {"$int64": int, "$date": str, "$dateTime": str, "$bytes": str}


def call_cases(
    operations: Mapping[str, Operation],
    decode: Callable[[Any, Any, Tags], Any],
    report: Callable[[Any, Any], Any],
) -> None:
    """Calls the cases in the order of the catalogue, and prints those whose call throws.

    `operations` are by their plain operationIds. `decode` makes a value of the catalogue into one of the type of a
    parameter. `report` makes the body of a PUT, of the type that it takes, from what GET returned.
    """
    skipped = os.environ.get("LAB_SKIP", "").split(",")
    with urlopen(urljoin(f"{URL}/", "../../cases")) as response:
        cases = json.load(response)["cases"]
    for case in cases:
        operation = operations.get(plain(case["operationId"]))
        if operation is None or case["id"] in skipped or f"{case['group']}/*" in skipped:
            continue
        try:
            if case["id"] == "retry/post-once":
                operations["retrypostoncefirst"]()
            answer = operation(**arguments(case, operation, decode))
            if put := operations.get(plain(case["operationId"] + "Report")):
                [(name, annotation)] = parameters_of(put).items()
                put(**{name: report(answer, annotation)})
        except Exception as error:
            # What is wrong stands in later lines.
            message = " ".join(f"{type(error).__name__}: {error}".split())
            print(json.dumps({"case": case["id"], "error": message}), flush=True)


def plain(name: str) -> str:
    """A name without its case and signs, which each generator writes in its own way."""
    return re.sub(r"[\W_]", "", name).lower()


def parameters_of(operation: Operation) -> dict[str, Any]:
    """The types of the parameters that a case can have."""
    parameters = inspect.signature(operation).parameters
    return {name: one.annotation for name, one in parameters.items() if name[0] != "_" and name != "client"}


def arguments(case: dict[str, Any], operation: Operation, decode: Callable[[Any, Any, Tags], Any]) -> dict[str, Any]:
    """The input of a case. Parameters are found by their names, and the body is what remains."""
    free = parameters_of(operation)
    given: dict[str, Any] = {}
    # These clients leave it to their users to encode bytes in JSON.
    in_json = {**IN_JSON, "$bytes": base64url} if case["id"] == "body/base64url" else IN_JSON

    def give(value: Any, *names: str) -> None:
        fits = [one for name in names for one in free if name == one]
        fits += [one for name in names for one in free if plain(name) == plain(one)]
        # A generator adds a prefix to a reserved word, and a digit to the second of a name.
        fits += [one for name in names for one in free if plain(name) in plain(one)]
        # It may have left the parameter out.
        if name := next(iter(fits + list(free)), None):
            given[name] = decode(value, free.pop(name), in_json)

    for where, values in case["input"]["parameters"].items():
        for name, value in values.items():
            give(value, f"{name}_{where}", name)
    if body := case["input"].get("body"):
        is_form = body["mediaType"] in ("application/x-www-form-urlencoded", "multipart/form-data")
        # A form is one parameter, or each of its members is.
        members = body["value"] if is_form and "body" not in free else {"body": body["value"]}
        for name, value in members.items():
            give(value, name)
    return given


def untag(value: Any, tags: Tags) -> Any:
    """Replaces the tags of a value, which stand for what JSON cannot say."""
    if isinstance(value, list):
        return [untag(item, tags) for item in value]
    if not isinstance(value, dict):
        return value
    if len(value) == 1 and (tag := next(iter(value))) in tags:
        return tags[tag](value[tag])
    return {name: untag(member, tags) for name, member in value.items()}


def base64url(text: str) -> str:
    return urlsafe_b64encode(b64decode(text)).decode()


def models_in(annotation: Any) -> Iterator[Any]:
    """The generated classes among a type and the members of a union."""
    return (one for one in (annotation, *get_args(annotation)) if hasattr(one, "from_dict"))


def members_of(status: int, headers: Mapping[str, str], body: dict[str, Any]) -> dict[str, Any]:
    """Everything that a report can have. Both clients return headers as texts."""
    members = {"status": status, **body}
    if "X-Colors" in headers:
        members["colors"] = headers["X-Colors"].split(",")
        members["count"] = int(headers["X-Count"])
        members["since"] = headers["X-Since"]
    return members
