"""Signs a device in with requests-oauthlib, as its documentation says, and prints who has signed in."""

import json
import os
from time import sleep

import requests
from oauthlib.oauth2 import DeviceClient, OAuth2Error
from requests_oauthlib import OAuth2Session

ISSUER = os.environ["GALAXY_URL"]
CLIENT_ID = os.environ["CLIENT_ID"]
SCOPE = ["openid", "read:account", "offline_access"]

metadata = requests.get(f"{ISSUER}/.well-known/oauth-authorization-server", timeout=10).json()
session = OAuth2Session(client=DeviceClient(CLIENT_ID), scope=SCOPE)
codes = requests.post(
    metadata["device_authorization_endpoint"],
    data={"client_id": CLIENT_ID, "scope": " ".join(SCOPE)},
    timeout=10,
).json()
print(json.dumps(codes), flush=True)

interval = codes["interval"]
while not session.authorized:
    try:
        session.fetch_token(
            metadata["token_endpoint"], device_code=codes["device_code"], include_client_id=True
        )
    except OAuth2Error as error:
        if error.error not in ("authorization_pending", "slow_down"):
            raise
        print(error.error, flush=True)
        if error.error == "slow_down":
            interval += 5
        sleep(interval)

first = session.token["access_token"]
session.refresh_token(metadata["token_endpoint"], client_id=CLIENT_ID)
assert session.token["access_token"] != first
print(json.dumps(session.get(f"{ISSUER}/me").json()), flush=True)
