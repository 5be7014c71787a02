"""The journey with the client of openapi-python-client."""

from http import HTTPStatus

from galaxy_client import AuthenticatedClient, Client
from galaxy_client.api.authentication import create_user, get_me, get_token
from galaxy_client.api.callbacks import (
    create_inbox,
    create_webhook,
    delete_inbox,
    delete_webhook,
    get_inbox,
    ping_webhook,
)
from galaxy_client.api.planets import (
    create_planet,
    delete_planet,
    get_all_data,
    get_planet,
    update_planet,
    upload_image,
)
from galaxy_client.models import (
    AtmosphereComponent,
    BadRequestError,
    BearerReceiverAuth,
    CreatedWebhook,
    Credentials,
    ImageUploadedMessage,
    ImageUploadForm,
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
    ReceiverAuthSummary,
    ReceiverScheme,
    Satellite,
    SatelliteInput,
    SatelliteOrbit,
    SatelliteOrbitInput,
    SignUp,
    SubscribableEvent,
    Temperature,
    Token,
    User,
    WebhookInput,
)
from galaxy_client.types import UNSET, File

import journey
from journey import done, until_found

anyone = Client(base_url=journey.URL)

user = create_user.sync(
    client=anyone,
    body=SignUp(name=journey.USER_NAME, email=journey.EMAIL, password=journey.PASSWORD),
)
assert isinstance(user, User), user
assert user.id > 0
assert user.name == journey.USER_NAME
done("sign up")

token = get_token.sync(
    client=anyone, body=Credentials(email=journey.EMAIL, password=journey.PASSWORD)
)
assert isinstance(token, Token), token
client = AuthenticatedClient(base_url=journey.URL, token=token.token)
me = get_me.sync(client=client)
assert isinstance(me, User), me
assert me.id == user.id
done("token")

physical_properties = PhysicalProperties(
    mass=journey.MASS, temperature=Temperature(min_=130, max_=308.5, average=210)
)
physical_properties["axialTilt"] = journey.AXIAL_TILT
trace = AtmosphereComponent(compound="N2")
trace["note"] = "a trace"
sent = PlanetInput(
    name="Arrakis",
    description=None,
    type_=PlanetKind.TERRESTRIAL,
    habitability_index=0.68,
    physical_properties=physical_properties,
    atmosphere=[AtmosphereComponent(compound="CO2", percentage=95.3), trace],
    discovered_at=journey.DISCOVERED_AT,
    tags=["desert", "spice"],
    satellites=[
        SatelliteInput(
            name="Muad'Dib",
            orbit=SatelliteOrbitInput(orbital_period=0.319, distance=journey.DISTANCE),
        )
    ],
)
created = create_planet.sync_detailed(client=client, body=sent)
planet = created.parsed
assert isinstance(planet, Planet), planet
assert created.status_code == HTTPStatus.CREATED
assert created.headers["Location"].endswith(f"/planets/{planet.id}")
assert created.headers["ETag"].startswith('"')
assert isinstance(planet.id, int)
assert (planet.name, planet.description, planet.type_) == (sent.name, None, PlanetKind.TERRESTRIAL)
assert planet.habitability_index == sent.habitability_index
assert planet.physical_properties == sent.physical_properties
assert isinstance(planet.physical_properties, PhysicalProperties)
assert planet.physical_properties.mass == journey.MASS
assert planet.physical_properties["axialTilt"] == journey.AXIAL_TILT
assert planet.atmosphere == sent.atmosphere
assert planet.discovered_at == journey.DISCOVERED_AT
assert planet.tags == sent.tags
assert planet.satellites is not UNSET
[satellite] = planet.satellites or []
assert isinstance(satellite, Satellite)
assert satellite.name == "Muad'Dib"
assert isinstance(satellite.orbit, SatelliteOrbit)
assert satellite.orbit.distance == journey.DISTANCE
assert satellite.orbit.planet
assert satellite.orbit.planet.id == planet.id
assert isinstance(planet.creator, User)
assert planet.creator.id == user.id
done("create a planet")

ids: list[int] = []
for page_number in range(journey.PAGES):
    page = get_all_data.sync(client=anyone, limit=journey.PAGE_SIZE, offset=len(ids))
    assert isinstance(page, PlanetPage), page
    assert page.meta.offset == len(ids)
    assert len(page.data) == journey.PAGE_SIZE
    ids += [item.id for item in page.data]
    assert page.meta.next_ == f"/planets?limit={journey.PAGE_SIZE}&offset={len(ids)}"
    assert page.meta.total > len(ids)
assert len(set(ids)) == journey.PAGES * journey.PAGE_SIZE
done("page through planets")

etag = get_planet.sync_detailed(planet.id, client=anyone).headers["ETag"]
replaced = update_planet.sync(
    planet.id, client=client, body=PlanetInput(name="Dune"), if_match=etag
)
assert isinstance(replaced, Planet), replaced
assert replaced.name == "Dune"
assert replaced.tags is UNSET
refused = update_planet.sync(
    planet.id, client=client, body=PlanetInput(name="Caladan"), if_match=etag
)
assert isinstance(refused, PreconditionFailedError), refused
assert refused.type_.endswith("/problems/precondition-failed")
assert refused.status == 412
done("replace with If-Match")

with journey.PICTURE.open("rb") as payload:
    form = ImageUploadForm(
        image=File(payload=payload, file_name="picture.png", mime_type="image/png")
    )
    picture = upload_image.sync(planet.id, client=client, body=form)
assert isinstance(picture, ImageUploadedMessage), picture
assert picture.mime_type == "image/png"
assert picture.file_size == journey.PICTURE.stat().st_size
done("upload a picture")

inbox = create_inbox.sync(client=anyone)
assert isinstance(inbox, Inbox), inbox
subscribed = create_webhook.sync_detailed(
    client=client,
    body=WebhookInput(
        url=inbox.url,
        events=[SubscribableEvent.NEWPLANET],
        auth=BearerReceiverAuth(scheme="bearerAuth", token=journey.RECEIVER_TOKEN),
    ),
)
webhook = subscribed.parsed
assert isinstance(webhook, CreatedWebhook), webhook
assert isinstance(webhook.auth, ReceiverAuthSummary)
assert webhook.auth.scheme == ReceiverScheme.BEARERAUTH
assert isinstance(webhook.secret, str) and webhook.secret.startswith("whsec_")
assert journey.RECEIVER_TOKEN.encode() not in subscribed.content
pinged = ping_webhook.sync_detailed(webhook.id, client=client)
assert pinged.status_code == HTTPStatus.ACCEPTED


def find_call(inbox_id: str = inbox.id) -> ReceivedCall | None:
    received = get_inbox.sync(inbox_id, client=anyone)
    assert isinstance(received, InboxPage), received
    return next(iter(received.data), None)


call = until_found(find_call)
assert call.method == "POST"
assert call.signatures.webhook_signature == "valid"
credentials = {header.name: header.value for header in call.headers}
assert credentials["authorization"] == f"Bearer {journey.RECEIVER_TOKEN}"
done("webhook with a credential")

problem = create_planet.sync(client=client, body=PlanetInput(name=""))
assert isinstance(problem, BadRequestError), problem
assert problem.type_.endswith("/problems/invalid-body")
assert problem.status == 400
assert problem.errors
[fault] = problem.errors
assert fault.pointer == "/name"
assert fault.detail
done("problem with errors")

assert delete_webhook.sync_detailed(webhook.id, client=client).status_code == HTTPStatus.NO_CONTENT
assert delete_inbox.sync_detailed(inbox.id, client=client).status_code == HTTPStatus.NO_CONTENT
assert delete_planet.sync_detailed(planet.id, client=client).status_code == HTTPStatus.NO_CONTENT
missing = get_planet.sync(planet.id, client=anyone)
assert isinstance(missing, NotFoundError), missing
assert missing.type_.endswith("/problems/not-found")
assert missing.status == 404
done("delete")
