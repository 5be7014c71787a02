<?php

declare(strict_types=1);

// Calls the operations of the first argument, with the token of a new user, and prints the ids of those whose responses
// the client understands.

use Galaxy\Api\AuthenticationApi;
use Galaxy\Configuration;
use Galaxy\Model\Credentials;
use Galaxy\Model\SignUp;

require __DIR__ . '/autoload.php';

$account = ['email' => 'php-' . bin2hex(random_bytes(8)) . '@example.com', 'password' => 'a password of a reader'];
$configuration = (new Configuration())->setHost(getenv('GALAXY_URL'));
$authentication = new AuthenticationApi(config: $configuration);
$authentication->createUser(new SignUp($account));
$configuration->setAccessToken($authentication->getToken(new Credentials($account))->getToken());

foreach (json_decode($argv[1], true, flags: JSON_THROW_ON_ERROR) as ['tag' => $tag, 'operationId' => $operation]) {
    $class = "Galaxy\\Api\\{$tag}Api";
    try {
        (new $class(config: $configuration))->$operation();
        echo "$operation\n";
    } catch (Throwable $fault) {
        echo "$operation: {$fault->getMessage()}\n";
    }
}
