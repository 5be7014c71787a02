<?php

declare(strict_types=1);

// Finds the classes of the client in the current folder, as Composer does (PSR-4), and those of Guzzle where Debian has
// them. A warning of PHP ends the program.

require 'GuzzleHttp/autoload.php';

set_error_handler(static function (int $level, string $message, string $file, int $line): never {
    throw new ErrorException($message, 0, $level, $file, $line);
}, E_ALL & ~E_DEPRECATED & ~E_USER_DEPRECATED);

spl_autoload_register(static function (string $class): void {
    if (!str_starts_with($class, 'Galaxy\\')) {
        return;
    }
    $file = getcwd() . '/lib/' . str_replace('\\', '/', substr($class, strlen('Galaxy\\'))) . '.php';
    if (is_file($file)) {
        require $file;
    }
});
