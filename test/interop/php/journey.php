<?php

declare(strict_types=1);

// The journey, with the client that openapi-generator writes for PHP.

use Galaxy\Api\AuthenticationApi;
use Galaxy\Api\CallbacksApi;
use Galaxy\Api\PlanetsApi;
use Galaxy\ApiException;
use Galaxy\Configuration;
use Galaxy\Model\AtmosphereComponent;
use Galaxy\Model\BadRequestError;
use Galaxy\Model\BearerReceiverAuth;
use Galaxy\Model\CreatedWebhook;
use Galaxy\Model\Credentials;
use Galaxy\Model\Fault;
use Galaxy\Model\ImageUploadedMessage;
use Galaxy\Model\Inbox;
use Galaxy\Model\InboxInput;
use Galaxy\Model\NotFoundError;
use Galaxy\Model\PhysicalProperties;
use Galaxy\Model\Planet;
use Galaxy\Model\PlanetInput;
use Galaxy\Model\PlanetKind;
use Galaxy\Model\PlanetPage;
use Galaxy\Model\PreconditionFailedError;
use Galaxy\Model\ReceivedCall;
use Galaxy\Model\ReceiverScheme;
use Galaxy\Model\Satellite;
use Galaxy\Model\SatelliteInput;
use Galaxy\Model\SatelliteKind;
use Galaxy\Model\SatelliteOrbitInput;
use Galaxy\Model\SignUp;
use Galaxy\Model\SubscribableEvent;
use Galaxy\Model\Temperature;
use Galaxy\Model\User;
use Galaxy\Model\WebhookInput;

require __DIR__ . '/autoload.php';

const PAGE_SIZE = 4;
const PAGES = 3;
const SECONDS_UNTIL_CALLED = 60;

/** Ends the program if two values differ in type or content. */
function expect(mixed $actual, mixed $expected, string $what): void
{
    if ($actual !== $expected) {
        throw new RuntimeException("$what: " . var_export($actual, true) . ' is not ' . var_export($expected, true));
    }
}

/** Ends the program if a value is no object of a class. */
function expectClass(mixed $value, string $class, string $what): void
{
    expect(get_debug_type($value), $class, $what);
}

/**
 * The typed problem of a call that fails.
 *
 * @param callable(): mixed $call
 * @param class-string $class What its body has to be
 */
function problemOf(callable $call, int $status, string $class): mixed
{
    try {
        $call();
    } catch (ApiException $exception) {
        expect($exception->getCode(), $status, 'the status of the problem');
        $problem = $exception->getResponseObject();
        expectClass($problem, $class, 'the problem');
        expect($problem->getStatus(), $status, 'its member status');
        return $problem;
    }
    throw new RuntimeException("The call succeeded, but $status was expected.");
}

/**
 * A header of a response.
 *
 * @param array<string, string[]> $headers
 */
function headerOf(array $headers, string $name): string
{
    $values = array_change_key_case($headers)[strtolower($name)] ?? [];
    expect(count($values), 1, "how often the response has the header $name");
    return $values[0];
}

function isDone(string $step): void
{
    echo "$step\n";
}

$configuration = (new Configuration())->setHost(getenv('GALAXY_URL'));
$authentication = new AuthenticationApi(config: $configuration);
$planets = new PlanetsApi(config: $configuration);
$callbacks = new CallbacksApi(config: $configuration);

$email = 'php-' . bin2hex(random_bytes(8)) . '@example.com';
$password = 'a password of a journey';
$user = $authentication->createUser(new SignUp(['email' => $email, 'password' => $password, 'name' => 'Asaph Hall']));
expectClass($user, User::class, 'the user');
expect(is_int($user->getId()), true, 'that the id is an integer');
expect($user->getName(), 'Asaph Hall', 'the name of the user');
isDone('sign up');

$token = $authentication->getToken(new Credentials(['email' => $email, 'password' => $password]));
$configuration->setAccessToken($token->getToken());
expect($authentication->getMe()->getId(), $user->getId(), 'whose token it is');
isDone('token');

$input = new PlanetInput([
    'name' => 'Mars of PHP',
    'type' => PlanetKind::TERRESTRIAL,
    'habitability_index' => 0.68,
    'physical_properties' => new PhysicalProperties([
        'mass' => 0.107123456789,
        'radius' => 0.532000000001,
        'gravity' => 0.378,
        'temperature' => new Temperature(['min' => 130.15, 'max' => 308.25, 'average' => 210.05]),
    ]),
    'atmosphere' => [
        new AtmosphereComponent(['compound' => 'CO2', 'percentage' => 95.32]),
        new AtmosphereComponent(['compound' => 'N2', 'percentage' => 2.7]),
    ],
    'discovered_at' => new DateTime('1610-01-07T19:30:00Z'),
    'tags' => ['red', 'with moons'],
    'satellites' => [
        new SatelliteInput([
            'name' => 'Phobos',
            'diameter' => 22.533,
            'type' => SatelliteKind::MOON,
            'orbit' => new SatelliteOrbitInput(['orbital_period' => 0.3189, 'distance' => 9376.25]),
        ]),
    ],
]);
[$planet, $status, $headers] = $planets->createPlanetWithHttpInfo($input);
expect($status, 201, 'the status of a new planet');
expectClass($planet, Planet::class, 'the planet');
expect(is_int($planet->getId()), true, 'that the id is an integer');
expect(str_ends_with(headerOf($headers, 'Location'), "/planets/{$planet->getId()}"), true, 'the header Location');
expect($planet->getName(), 'Mars of PHP', 'the name');
expect($planet->getType(), PlanetKind::TERRESTRIAL, 'the type');
expect($planet->getHabitabilityIndex(), 0.68, 'the index');
expectClass($planet->getPhysicalProperties(), PhysicalProperties::class, 'the properties');
expect($planet->getPhysicalProperties()->getMass(), 0.107123456789, 'the mass');
expect($planet->getPhysicalProperties()->getRadius(), 0.532000000001, 'the radius');
expect($planet->getPhysicalProperties()->getGravity(), 0.378, 'the gravity');
expect($planet->getPhysicalProperties()->getTemperature()->getAverage(), 210.05, 'the temperature');
expect($planet->getAtmosphere()[0]->getCompound(), 'CO2', 'a compound');
expect($planet->getAtmosphere()[1]->getPercentage(), 2.7, 'a percentage');
expectClass($planet->getDiscoveredAt(), DateTime::class, 'when it was discovered');
expect($planet->getDiscoveredAt()->getTimestamp(), $input->getDiscoveredAt()->getTimestamp(), 'when it was discovered');
expect($planet->getTags(), ['red', 'with moons'], 'the tags');
expectClass($planet->getSatellites()[0], Satellite::class, 'the satellite');
expect(is_int($planet->getSatellites()[0]->getId()), true, 'that the id of the satellite is an integer');
expect($planet->getSatellites()[0]->getType(), SatelliteKind::MOON, 'the type of the satellite');
expect($planet->getSatellites()[0]->getDiameter(), 22.533, 'the diameter of the satellite');
expect($planet->getSatellites()[0]->getOrbit()->getDistance(), 9376.25, 'the distance of the satellite');
expect($planet->getCreator()->getId(), $user->getId(), 'the creator');
expectClass($planet->getLastUpdated(), DateTime::class, 'when it was updated');
isDone('create a planet');

$offset = 0;
$seen = [];
for ($number = 1; $number <= PAGES; $number++) {
    $page = $planets->getAllData(limit: PAGE_SIZE, offset: $offset);
    expectClass($page, PlanetPage::class, 'the page');
    expect($page->getMeta()->getOffset(), $offset, 'the offset of the page');
    expect(count($page->getData()), PAGE_SIZE, 'the length of the page');
    foreach ($page->getData() as $item) {
        expectClass($item, Planet::class, 'an item');
        $seen[] = $item->getId();
    }
    parse_str(parse_url($page->getMeta()->getNext(), PHP_URL_QUERY), $next);
    $offset = (int) $next['offset'];
}
expect(count(array_unique($seen)), PAGES * PAGE_SIZE, 'how many different planets there are');
isDone('page through planets');

[$planet, , $headers] = $planets->getPlanetWithHttpInfo($planet->getId());
$etag = headerOf($headers, 'ETag');
$input->setName('Mars, named again');
$replaced = $planets->updatePlanet(planet_id: $planet->getId(), planet_input: $input, if_match: $etag);
expectClass($replaced, Planet::class, 'the planet');
expect($replaced->getName(), 'Mars, named again', 'the new name');
expect($replaced->getPhysicalProperties()->getMass(), 0.107123456789, 'the mass');
$problem = problemOf(
    fn () => $planets->updatePlanet(planet_id: $planet->getId(), planet_input: $input, if_match: $etag),
    412,
    PreconditionFailedError::class,
);
expect(str_ends_with($problem->getType(), 'precondition-failed'), true, "the type {$problem->getType()}");
isDone('replace with If-Match');

$picture = new SplFileObject(getenv('PICTURE'));
$uploaded = $planets->uploadImage(planet_id: $planet->getId(), image: $picture);
expectClass($uploaded, ImageUploadedMessage::class, 'the answer');
expect($uploaded->getMimeType(), 'image/png', 'the type of the picture');
expect($uploaded->getFileSize(), $picture->getSize(), 'the size of the picture');
isDone('upload a picture');

$inbox = $callbacks->createInbox(new InboxInput(['status' => 204]));
expectClass($inbox, Inbox::class, 'the inbox');
$secret = bin2hex(random_bytes(16));
$webhook = $callbacks->createWebhook(new WebhookInput([
    'url' => $inbox->getUrl(),
    'events' => [SubscribableEvent::NEW_PLANET],
    'auth' => new BearerReceiverAuth(['scheme' => BearerReceiverAuth::SCHEME_BEARER_AUTH, 'token' => $secret]),
]));
expectClass($webhook, CreatedWebhook::class, 'the webhook');
expect($webhook->getEvents(), [SubscribableEvent::NEW_PLANET], 'the events');
expect($webhook->getAuth()->getScheme(), ReceiverScheme::BEARER_AUTH, 'the scheme of the credential');
expect(str_contains((string) $webhook, $secret), false, 'that the response has the credential');
$callbacks->pingWebhook($webhook->getId());
$deadline = time() + SECONDS_UNTIL_CALLED;
do {
    if (time() > $deadline) {
        throw new RuntimeException('The ping did not come.');
    }
    usleep(200_000);
    $calls = $callbacks->getInbox($inbox->getId())->getData();
} while (count($calls) === 0);
expectClass($calls[0], ReceivedCall::class, 'the call');
$sent = [];
foreach ($calls[0]->getHeaders() as $header) {
    $sent[strtolower($header->getName())] = $header->getValue();
}
expect($sent['authorization'] ?? null, "Bearer $secret", 'the credential of the call');
isDone('webhook with a credential');

$problem = problemOf(fn () => $planets->createPlanet(new PlanetInput(['name' => ''])), 400, BadRequestError::class);
expect(str_ends_with($problem->getType(), '/problems/invalid-body'), true, 'that the type is the one of bodies');
expectClass($problem->getErrors()[0], Fault::class, 'a fault');
expect($problem->getErrors()[0]->getPointer(), '/name', 'where the fault is');
isDone('problem with errors');

[, $status] = $callbacks->deleteWebhookWithHttpInfo($webhook->getId());
expect($status, 204, 'the status of a webhook that is deleted');
[, $status] = $planets->deletePlanetWithHttpInfo($planet->getId());
expect($status, 204, 'the status of a planet that is deleted');
problemOf(fn () => $planets->getPlanet($planet->getId()), 404, NotFoundError::class);
isDone('delete');
