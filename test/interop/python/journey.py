"""What the journeys share: what they send, and how they report."""

import os
from collections.abc import Callable
from datetime import datetime, timezone
from pathlib import Path
from time import monotonic, sleep
from typing import TypeVar
from uuid import uuid4

URL = os.environ["GALAXY_URL"]
PICTURE = Path(os.environ["PICTURE"])

EMAIL = f"{uuid4()}@galaxy.example"
PASSWORD = str(uuid4())
USER_NAME = "Ada"

# A float of 32 bits would lose digits of these.
MASS = 0.107123456789
AXIAL_TILT = 25.190000000000001
DISTANCE = 9376.123456789

DISCOVERED_AT = datetime(1610, 1, 7, 12, 30, tzinfo=timezone.utc)
LONG_AGO = datetime(2001, 1, 1, tzinfo=timezone.utc)

PAGE_SIZE = 7
PAGES = 3

RECEIVER_TOKEN = str(uuid4())
CALL_SECONDS_MAX = 60


Found = TypeVar("Found")


def done(step: str) -> None:
    """Reports that the checks of a step have passed."""
    print(step, flush=True)


def until_found(find: Callable[[], Found | None]) -> Found:
    """Calls `find` until it returns something.

    Raises TimeoutError after CALL_SECONDS_MAX.
    """
    end = monotonic() + CALL_SECONDS_MAX
    while (found := find()) is None:
        if monotonic() > end:
            raise TimeoutError("the webhook was not called")
        sleep(0.2)
    return found
