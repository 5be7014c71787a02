"""The journey with the client of openapi-generator (generator `python`)."""

from openapi_client import (
    ApiClient,
    ApiKeyInput,
    AtmosphereComponent,
    AuthenticationApi,
    BadRequestError,
    BearerReceiverAuth,
    CallbacksApi,
    Configuration,
    Credentials,
    InboxPage,
    NotFoundError,
    PhysicalProperties,
    PlanetInput,
    PlanetKind,
    PlanetsApi,
    PreconditionFailedError,
    ReceivedCall,
    ReceiverAuth,
    ReceiverScheme,
    SatelliteInput,
    SatelliteOrbitInput,
    SignUp,
    SubscribableEvent,
    Temperature,
    WebhookInput,
)
from openapi_client.exceptions import ApiException, BadRequestException, NotFoundException

import journey
from journey import done, until_found

configuration = Configuration(host=journey.URL)
client = ApiClient(configuration)
authentication = AuthenticationApi(client)
planets = PlanetsApi(client)
callbacks = CallbacksApi(client)

user = authentication.create_user(
    SignUp(name=journey.USER_NAME, email=journey.EMAIL, password=journey.PASSWORD)
)
assert user.id > 0
assert user.name == journey.USER_NAME
done("sign up")

token = authentication.get_token(Credentials(email=journey.EMAIL, password=journey.PASSWORD))
configuration.access_token = token.token
assert authentication.get_me().id == user.id
done("token")

sent = PlanetInput(
    name="Arrakis",
    description=None,
    type=PlanetKind.Terrestrial,
    habitabilityIndex=0.68,
    physicalProperties=PhysicalProperties(
        mass=journey.MASS,
        temperature=Temperature(min=130, max=308.5, average=210),
        additional_properties={"axialTilt": journey.AXIAL_TILT},
    ),
    atmosphere=[
        AtmosphereComponent(compound="CO2", percentage=95.3),
        AtmosphereComponent(compound="N2", additional_properties={"note": "a trace"}),
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
created = planets.create_planet_with_http_info(sent)
planet = created.data
assert created.status_code == 201
assert created.headers is not None
assert created.headers["Location"].endswith(f"/planets/{planet.id}")
assert created.headers["ETag"].startswith('"')
assert isinstance(planet.id, int)
assert (planet.name, planet.description, planet.type) == (sent.name, None, PlanetKind.Terrestrial)
assert planet.habitability_index == sent.habitability_index
assert planet.physical_properties == sent.physical_properties
assert planet.physical_properties is not None
assert planet.physical_properties.mass == journey.MASS
assert planet.physical_properties.additional_properties == {"axialTilt": journey.AXIAL_TILT}
assert planet.atmosphere == sent.atmosphere
assert planet.discovered_at == journey.DISCOVERED_AT
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
for page_number in range(journey.PAGES):
    page = planets.get_all_data(limit=journey.PAGE_SIZE, offset=len(ids))
    assert page.meta.offset == len(ids)
    assert len(page.data) == journey.PAGE_SIZE
    ids += [item.id for item in page.data]
    assert page.meta.next == f"/planets?limit={journey.PAGE_SIZE}&offset={len(ids)}"
    assert page.meta.total > len(ids)
assert len(set(ids)) == journey.PAGES * journey.PAGE_SIZE
done("page through planets")

read = planets.get_planet_with_http_info(planet.id)
assert read.headers is not None
etag = read.headers["ETag"]
replaced = planets.update_planet(planet.id, PlanetInput(name="Dune"), if_match=etag)
assert replaced.name == "Dune"
assert replaced.tags is None
try:
    planets.update_planet(planet.id, PlanetInput(name="Caladan"), if_match=etag)
except ApiException as error:
    assert error.status == 412
    assert isinstance(error.data, PreconditionFailedError)
    assert error.data.type.endswith("/problems/precondition-failed")
    assert error.data.status == 412
else:
    raise AssertionError("the old entity tag was accepted")
done("replace with If-Match")

picture = planets.upload_image(planet.id, str(journey.PICTURE))
assert picture.mime_type == "image/png"
assert picture.file_size == journey.PICTURE.stat().st_size
done("upload a picture")

inbox = callbacks.create_inbox()
webhook = callbacks.create_webhook(
    WebhookInput(
        url=inbox.url,
        events=[SubscribableEvent.NEWPLANET],
        auth=ReceiverAuth(BearerReceiverAuth(scheme="bearerAuth", token=journey.RECEIVER_TOKEN)),
    )
)
assert webhook.auth is not None
assert webhook.auth.scheme == ReceiverScheme.BEARERAUTH
assert isinstance(webhook.secret, str) and webhook.secret.startswith("whsec_")
assert journey.RECEIVER_TOKEN not in webhook.to_json()
callbacks.ping_webhook(webhook.id)


def find_call() -> ReceivedCall | None:
    received: InboxPage = callbacks.get_inbox(inbox.id)
    return next(iter(received.data), None)


call = until_found(find_call)
assert call.method == "POST"
assert call.signatures.webhook_signature == "valid"
credentials = {header.name: header.value for header in call.headers}
assert credentials["authorization"] == f"Bearer {journey.RECEIVER_TOKEN}"
done("webhook with a credential")

try:
    authentication.create_api_key(
        api_key_input=ApiKeyInput(name="Expired", expiresAt=journey.LONG_AGO)
    )
except BadRequestException as error:
    problem = error.data
    assert isinstance(problem, BadRequestError)
    assert problem.type.endswith("/problems/invalid-body")
    assert problem.status == 400
    assert problem.errors is not None
    [fault] = problem.errors
    assert fault.pointer == "/expiresAt"
    assert "future" in fault.detail
else:
    raise AssertionError("a key that has expired was created")
done("problem with errors")

callbacks.delete_webhook(webhook.id)
callbacks.delete_inbox(inbox.id)
assert planets.delete_planet_with_http_info(planet.id).status_code == 204
try:
    planets.get_planet(planet.id)
except NotFoundException as error:
    assert isinstance(error.data, NotFoundError)
    assert error.data.type.endswith("/problems/not-found")
    assert error.data.status == 404
else:
    raise AssertionError("the planet is still there")
done("delete")
