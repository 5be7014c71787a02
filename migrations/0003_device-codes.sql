CREATE TABLE `device_codes` (
	`hash` text PRIMARY KEY NOT NULL,
	`grant_id` text,
	`expires_at` integer NOT NULL,
	`used_at` integer,
	`client_id` text NOT NULL,
	`scopes` text NOT NULL,
	`user_code` text,
	`network` text,
	`interval` integer NOT NULL,
	`polled_at` integer,
	FOREIGN KEY (`grant_id`) REFERENCES `grants`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`client_id`) REFERENCES `clients`(`id`) ON UPDATE no action ON DELETE cascade
);

CREATE UNIQUE INDEX `device_codes_user_code_unique` ON `device_codes` (`user_code`);
CREATE INDEX `device_codes_grant` ON `device_codes` (`grant_id`) WHERE "device_codes"."grant_id" is not null;
CREATE INDEX `device_codes_client` ON `device_codes` (`client_id`);
CREATE INDEX `device_codes_network` ON `device_codes` (`network`,`expires_at`) WHERE "device_codes"."network" is not null;
CREATE INDEX `device_codes_expiry` ON `device_codes` (`expires_at`) WHERE "device_codes"."grant_id" is null;