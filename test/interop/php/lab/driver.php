<?php

declare(strict_types=1);

// Calls every case of the laboratory once, with the client in the current folder (openapi-generator, php). LAB_URL is the
// bench, and LAB_SKIP names the cases to leave out. Operations and parameters are found by name, and the client's own
// decoder makes the values.

use Galaxy\ApiException;
use Galaxy\Configuration;
use Galaxy\Model\ModelInterface;
use Galaxy\ObjectSerializer;

require __DIR__ . '/../autoload.php';

// As a user runs it: a warning goes to the log, and PHP goes on.
restore_error_handler();
ini_set('display_errors', 'stderr');

$bench = getenv('LAB_URL');
$skipped = explode(',', getenv('LAB_SKIP') ?: '');

// The client's files too are gone at the end.
define('FOLDER', sys_get_temp_dir() . '/lab-' . bin2hex(random_bytes(8)));
mkdir(FOLDER);
register_shutdown_function(function (): void {
    array_map(unlink(...), glob(FOLDER . '/*'));
    rmdir(FOLDER);
});
Configuration::getDefaultConfiguration()->setHost($bench)->setTempFolderPath(FOLDER);

// A name without case and signs, which each generator writes in its own way.
function plain(string $name): string
{
    return preg_replace('/[^a-z0-9]/', '', strtolower($name));
}

// The operations of the client, each with the object that has it.
function operations(): array
{
    $operations = [];
    foreach (glob('lib/Api/*Api.php') as $file) {
        $api = new ('Galaxy\\Api\\' . basename($file, '.php'))();
        foreach ((new ReflectionObject($api))->getMethods(ReflectionMethod::IS_PUBLIC) as $method) {
            $operations[plain($method->name)] = [$api, $method];
        }
    }
    return $operations;
}

// Names and types of the parameters of an operation, as the comment above it documents them.
function typesOf(ReflectionMethod $method): array
{
    preg_match_all('/@param +(\S+?)(?:\|null)? \$(\w+) \((?:required|optional)/', $method->getDocComment(), $found);
    return array_combine($found[2], $found[1]);
}

function fileOf(string $name, string $bytes): SplFileObject
{
    file_put_contents(FOLDER . "/$name", base64_decode($bytes));
    return new SplFileObject(FOLDER . "/$name");
}

// A value of the catalogue as the type that the client documents.
function decode(mixed $value, string $type): mixed
{
    if (isset($value->{'$file'})) {
        return fileOf($value->{'$file'}->name, $value->{'$file'}->bytes);
    }
    if ($type === '\SplFileObject') {
        return fileOf('body.bin', $value->{'$bytes'});
    }
    if (is_array($value) && str_ends_with($type, '[]')) {
        return array_map(fn ($item) => decode($item, substr($type, 0, -strlen('[]'))), $value);
    }
    $plain = withoutTags($value);
    if ($plain instanceof stdClass && is_subclass_of($type, ModelInterface::class)) {
        return model($value, $type);
    }
    return $type === 'object' ? $plain : ObjectSerializer::deserialize($plain, $type);
}

// What the decoder does, but for nullable members that are absent: it sets them to null.
function model(stdClass $value, string $class): ModelInterface
{
    $model = new $class();
    foreach ($class::attributeMap() as $name => $key) {
        if (property_exists($value, $key)) {
            $model->{$class::setters()[$name]}(decode($value->$key, $class::openAPITypes()[$name]));
        }
    }
    return $model;
}

// Dates, numbers and bytes are texts in JSON.
function withoutTags(mixed $value): mixed
{
    if (is_array($value)) {
        return array_map(withoutTags(...), $value);
    }
    if (!$value instanceof stdClass) {
        return $value;
    }
    $members = get_object_vars($value);
    return match (array_key_first($members)) {
        '$int64' => (int) $members['$int64'],
        '$date', '$dateTime', '$bytes' => reset($members),
        default => (object) array_map(withoutTags(...), $members),
    };
}

// The given values by the name of their parameter. A generator appends a digit to the second of a name.
function matching(array $given, array $types): array
{
    $matched = [];
    foreach ($given as [$name, $value]) {
        $isIt = fn ($key) => preg_match('/^' . plain($name) . '\d?$/', plain($key)) && !array_key_exists($key, $matched);
        $key = array_values(array_filter(array_keys($types), $isIt))[0] ?? throw new Exception("no parameter for $name");
        $matched[$key] = decode($value, $types[$key]);
    }
    return $matched;
}

function pairs(object $members): array
{
    $members = get_object_vars($members);
    return array_map(null, array_map(strval(...), array_keys($members)), $members);
}

function callCase(array $operation, stdClass $input): void
{
    [$api, $method] = $operation;
    $types = typesOf($method);
    $given = array_merge(...array_values(array_map(pairs(...), get_object_vars($input->parameters))));
    $arguments = [];
    if (isset($input->body)) {
        if (in_array($input->body->mediaType, ['application/x-www-form-urlencoded', 'multipart/form-data'], true)) {
            $given = [...$given, ...pairs($input->body->value)];
        } else {
            $last = array_key_last($types);
            $arguments[$last] = decode($input->body->value, $types[$last]);
        }
    }
    $method->invokeArgs($api, [...$arguments, ...matching($given, $types)]);
}

// What the client has decoded goes back: as it is, or as members of a report, which is an object of its own.
function callResponse(array $get, ?array $put): void
{
    try {
        [$data, $status, $headers] = $get[1]->invoke($get[0]);
    } catch (ApiException $e) {
        if ($e->getResponseHeaders() === null) {
            throw $e;
        }
        [$data, $status, $headers] = [$e->getResponseObject(), $e->getCode(), $e->getResponseHeaders()];
    }
    if ($put !== null) {
        $type = current(typesOf($put[1]));
        $put[1]->invoke($put[0], str_ends_with($type, 'Outcome') ? outcome($type, $data, $status, $headers) : $data);
    }
}

function outcome(string $class, mixed $data, int $status, array $headers): ModelInterface
{
    $members = [];
    foreach ($class::openAPITypes() as $name => $type) {
        $header = $headers['X-' . ucfirst($name)][0] ?? null;
        $members[$name] = match (true) {
            $name === 'status' => $status,
            $header !== null => ObjectSerializer::deserialize($type === 'string[]' ? explode(',', $header) : $header, $type),
            default => $data[$name] ?? throw new Exception('the response is decoded without ' . $name),
        };
    }
    return new $class($members);
}

$operations = operations();
$operation = fn (string $name) => $operations[plain("{$name}WithHttpInfo")] ?? null;
$catalogue = json_decode(file_get_contents("$bench/../../cases"), flags: JSON_THROW_ON_ERROR);
foreach ($catalogue->cases as $case) {
    $found = $operation($case->operationId);
    if ($found === null || array_intersect([$case->id, "$case->group/*"], $skipped) !== []) {
        continue;
    }
    try {
        if ($case->group === 'response') {
            callResponse($found, $operation("{$case->operationId}Report"));
        } else {
            if ($case->id === 'body/base64url') {
                // The user of this client encodes bytes.
                $bytes = $case->input->body->value->bytes;
                $bytes->{'$bytes'} = strtr($bytes->{'$bytes'}, '+/', '-_');
            }
            if ($first = $operation("{$case->operationId}First")) {
                $first[1]->invoke($first[0]);
            }
            callCase($found, $case->input);
        }
    } catch (Throwable $e) {
        echo json_encode(['case' => $case->id, 'error' => strtok($e->getMessage(), "\n")]), "\n";
    }
}
