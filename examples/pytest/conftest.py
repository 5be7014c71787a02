"""Starts Galaxy for a run, and gives each test file a universe, which is reset after each test.

The command `galaxy` has to be installed in this folder or in one above it: `npm i -D ./galaxy-2.0.0.tgz`. If GALAXY_URL
is set, the tests use the service at this address, and start none.
"""

import json
import os
import subprocess
from urllib.request import Request, urlopen

import pytest

# The command ends when this process does, because its standard input then ends.
COMMAND = ["npx", "--no-install", "galaxy", "--port", "0", "--json", "--memory", "--with-parent"]
END_TIMEOUT_SECONDS = 10


def pytest_sessionstart(session):
    """Starts the service before pytest-xdist starts its workers, which inherit the address."""
    if os.environ.get("GALAXY_URL"):
        return
    # In a session of its own, so that Ctrl-C ends the tests first and the service after them.
    galaxy = subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True)

    def stop():
        os.environ.pop("GALAXY_URL", None)
        galaxy.stdin.close()
        galaxy.wait(END_TIMEOUT_SECONDS)

    session.config.add_cleanup(stop)
    ready = galaxy.stdout.readline()
    if not ready:
        pytest.exit("Galaxy did not start. Is it installed? The reason is above.", returncode=1)
    os.environ["GALAXY_URL"] = json.loads(ready)["url"]


class Universe:
    """A world of its own: the whole service at another address."""

    def __init__(self):
        made = send("POST", os.environ["GALAXY_URL"] + "/universes", {"hours": 1})
        self.url, self.token = made["url"], made["token"]

    def call(self, method, path, body=None):
        """Sends a request with the token of the owner, and returns the JSON of the response."""
        return send(method, self.url + path, body, {"Authorization": "Bearer " + self.token})


def send(method, url, body=None, headers={}):
    data = None if body is None else json.dumps(body).encode()
    request = Request(url, data, {"Content-Type": "application/json", **headers}, method=method)
    # Raises an error for 400 and above.
    with urlopen(request) as response:
        text = response.read()
    return json.loads(text) if text else None


# The universe of a test file. With scope="session" it is that of a worker.
@pytest.fixture(scope="module")
def made_universe():
    universe = Universe()
    yield universe
    universe.call("DELETE", "/universe")


@pytest.fixture
def universe(made_universe):
    yield made_universe
    made_universe.call("POST", "/universe/reset")
