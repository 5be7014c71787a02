"""The journey with the models of datamodel-code-generator (pydantic) and with httpx."""

from typing import TypeVar

import httpx
from galaxy_models import (
    AtmosphereComponent,
    ApiKeyInput,
    BadRequestError,
    BearerReceiverAuth,
    CreatedWebhook,
    Credentials,
    ImageUploadedMessage,
    Inbox,
    InboxPage,
    NotFoundError,
    PhysicalProperties,
    Planet,
    PlanetInput,
    PlanetKind,
    PlanetPage,
    PreconditionFailedError,
    ReceivedCall,
    ReceiverAuth,
    ReceiverScheme,
    SatelliteInput,
    SatelliteOrbitInput,
    SignatureVerdict,
    SignUp,
    Temperature,
    Token,
    User,
    WebhookInput,
)
from pydantic import BaseModel

import journey
from journey import done, until_found

Model = TypeVar("Model", bound=BaseModel)

client = httpx.Client(base_url=journey.URL)


def send(method: str, path: str, body: BaseModel, headers: dict[str, str] | None = None) -> httpx.Response:
    """Sends a model as JSON. Members that were not set are left out."""
    content = body.model_dump_json(by_alias=True, exclude_unset=True)
    json_headers = {"Content-Type": "application/json", **(headers or {})}
    return client.request(method, path, content=content, headers=json_headers)


def parse(model: type[Model], response: httpx.Response, status: int) -> Model:
    """Reads a response with this status as a model."""
    assert response.status_code == status, response.text
    return model.model_validate_json(response.content)


sign_up = SignUp(name=journey.USER_NAME, email=journey.EMAIL, password=journey.PASSWORD)
user = parse(User, send("POST", "/user/signup", sign_up), 201)
assert user.id > 0
assert user.name == journey.USER_NAME
done("sign up")

own_credentials = Credentials(email=journey.EMAIL, password=journey.PASSWORD)
token = parse(Token, send("POST", "/auth/token", own_credentials), 201)
client.headers["Authorization"] = f"Bearer {token.token}"
assert parse(User, client.get("/me"), 200).id == user.id
done("token")

sent = PlanetInput(
    name="Arrakis",
    description=None,
    type=PlanetKind.Terrestrial,
    habitabilityIndex=0.68,
    physicalProperties=PhysicalProperties(
        mass=journey.MASS,
        temperature=Temperature(min=130, max=308.5, average=210),
        axialTilt=journey.AXIAL_TILT,
    ),
    atmosphere=[
        AtmosphereComponent(compound="CO2", percentage=95.3),
        AtmosphereComponent(compound="N2", note="a trace"),
    ],
    discoveredAt=journey.DISCOVERED_AT,
    tags=["desert", "spice"],
    satellites=[
        SatelliteInput(
            name="Muad'Dib",
            orbit=SatelliteOrbitInput(orbitalPeriod=0.319, distance=journey.DISTANCE),
        )
    ],
)
created = send("POST", "/planets", sent)
planet = parse(Planet, created, 201)
assert created.headers["Location"].endswith(f"/planets/{planet.id}")
assert created.headers["ETag"].startswith('"')
assert isinstance(planet.id, int)
assert (planet.name, planet.description, planet.type) == (sent.name, None, PlanetKind.Terrestrial)
assert planet.habitabilityIndex == sent.habitabilityIndex
assert planet.physicalProperties == sent.physicalProperties
assert planet.physicalProperties is not None
assert planet.physicalProperties.mass == journey.MASS
assert planet.physicalProperties.model_extra == {"axialTilt": journey.AXIAL_TILT}
assert planet.atmosphere == sent.atmosphere
assert planet.discoveredAt == journey.DISCOVERED_AT
assert planet.tags == sent.tags
assert planet.satellites is not None
[satellite] = planet.satellites
assert satellite.name == "Muad'Dib"
assert satellite.orbit is not None
assert satellite.orbit.distance == journey.DISTANCE
assert satellite.orbit.planet is not None
assert satellite.orbit.planet.id == planet.id
assert planet.creator is not None
assert planet.creator.id == user.id
done("create a planet")

ids: list[int] = []
path: str | None = f"/planets?limit={journey.PAGE_SIZE}"
for page_number in range(journey.PAGES):
    assert path is not None
    page = parse(PlanetPage, client.get(path), 200)
    assert page.meta.offset == len(ids)
    assert len(page.data) == journey.PAGE_SIZE
    ids += [item.id for item in page.data]
    assert page.meta.total > len(ids)
    path = page.meta.next
assert len(set(ids)) == journey.PAGES * journey.PAGE_SIZE
done("page through planets")

address = f"/planets/{planet.id}"
if_match = {"If-Match": client.get(address).headers["ETag"]}
replaced = parse(Planet, send("PUT", address, PlanetInput(name="Dune"), if_match), 200)
assert replaced.name == "Dune"
assert replaced.tags is None
refused = send("PUT", address, PlanetInput(name="Caladan"), if_match)
changed = parse(PreconditionFailedError, refused, 412)
assert str(changed.type).endswith("/problems/precondition-failed")
assert changed.status == 412
done("replace with If-Match")

with journey.PICTURE.open("rb") as file:
    uploaded = client.post(f"{address}/image", files={"image": file})
picture = parse(ImageUploadedMessage, uploaded, 200)
assert picture.mimeType == "image/png"
assert picture.fileSize == journey.PICTURE.stat().st_size
done("upload a picture")

inbox = parse(Inbox, client.post("/inboxes"), 201)
subscription = WebhookInput(
    url=inbox.url,
    events=["newPlanet"],
    auth=ReceiverAuth(BearerReceiverAuth(scheme="bearerAuth", token=journey.RECEIVER_TOKEN)),
)
subscribed = send("POST", "/webhooks", subscription)
webhook = parse(CreatedWebhook, subscribed, 201)
assert webhook.auth is not None
assert webhook.auth.scheme == ReceiverScheme.bearerAuth
assert isinstance(webhook.secret, str) and webhook.secret.startswith("whsec_")
assert journey.RECEIVER_TOKEN not in subscribed.text
assert client.post(f"/webhooks/{webhook.id}/ping").status_code == 202


def find_call() -> ReceivedCall | None:
    received = parse(InboxPage, client.get(f"/inboxes/{inbox.id}"), 200)
    return next(iter(received.data), None)


call = until_found(find_call)
assert call.method == "POST"
assert call.signatures.webhookSignature == SignatureVerdict.valid
credentials = {header.name: header.value for header in call.headers}
assert credentials["authorization"] == f"Bearer {journey.RECEIVER_TOKEN}"
done("webhook with a credential")

expired = ApiKeyInput(name="Expired", expiresAt=journey.LONG_AGO)
problem = parse(BadRequestError, send("POST", "/me/api-keys", expired), 400)
assert str(problem.type).endswith("/problems/invalid-body")
assert problem.status == 400
assert problem.errors is not None
[fault] = problem.errors
assert fault.pointer == "/expiresAt"
assert "future" in fault.detail
done("problem with errors")

assert client.delete(f"/webhooks/{webhook.id}").status_code == 204
assert client.delete(f"/inboxes/{inbox.id}").status_code == 204
assert client.delete(address).status_code == 204
missing = parse(NotFoundError, client.get(address), 404)
assert str(missing.type).endswith("/problems/not-found")
assert missing.status == 404
done("delete")
