<?php

declare(strict_types=1);

// Loads every class of the client in the current folder, and prints how many there are.

require __DIR__ . '/autoload.php';

$count = 0;
foreach (new RecursiveIteratorIterator(new RecursiveDirectoryIterator('lib', FilesystemIterator::SKIP_DOTS)) as $file) {
    $class = 'Galaxy\\' . str_replace('/', '\\', substr($file->getPathname(), strlen('lib/'), -strlen('.php')));
    if (!class_exists($class) && !interface_exists($class)) {
        throw new RuntimeException("{$file->getPathname()} has no class $class.");
    }
    $count++;
}
echo "$count\n";
