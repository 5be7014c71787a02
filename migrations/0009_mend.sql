CREATE TABLE `call_targets` (
	`host` text PRIMARY KEY NOT NULL,
	`window_start` integer NOT NULL,
	`calls` integer NOT NULL,
	`leases` text NOT NULL,
	`accepted_at` integer,
	`kept_until` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `call_targets_kept` ON `call_targets` (`kept_until`);--> statement-breakpoint
CREATE TABLE `consents` (
	`user_id` integer NOT NULL,
	`client_id` text NOT NULL,
	`password_generation` integer NOT NULL,
	`scopes` text NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`user_id`, `client_id`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`client_id`) REFERENCES `clients`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `consents_client` ON `consents` (`client_id`);--> statement-breakpoint
CREATE TABLE `stranger_counts` (
	`kind` text PRIMARY KEY NOT NULL,
	`count` integer NOT NULL
);
--> statement-breakpoint
ALTER TABLE `api_keys` ADD `made_by_key` integer REFERENCES api_keys(id) ON DELETE cascade;--> statement-breakpoint
ALTER TABLE `api_keys` ADD `made_by_grant` text REFERENCES grants(id) ON DELETE cascade;--> statement-breakpoint
ALTER TABLE `api_keys` ADD `depth` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX `api_keys_made_by_key` ON `api_keys` (`made_by_key`) WHERE "api_keys"."made_by_key" is not null;--> statement-breakpoint
CREATE INDEX `api_keys_made_by_grant` ON `api_keys` (`made_by_grant`) WHERE "api_keys"."made_by_grant" is not null;--> statement-breakpoint
ALTER TABLE `bodies` ADD `satellite_bytes` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `bodies` ADD `bytes` integer GENERATED ALWAYS AS ((octet_length("properties") + coalesce(octet_length("extras"), 0) + "satellite_bytes")) VIRTUAL NOT NULL;--> statement-breakpoint
CREATE INDEX `bodies_free` ON `bodies` (`creator_id`) WHERE "bodies"."planet_id" is null and "bodies"."host_id" is null;--> statement-breakpoint
ALTER TABLE `clients` ADD `made_by_key` integer REFERENCES api_keys(id) ON DELETE cascade;--> statement-breakpoint
ALTER TABLE `clients` ADD `made_by_grant` text REFERENCES grants(id) ON DELETE cascade;--> statement-breakpoint
ALTER TABLE `clients` ADD `depth` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `clients` ADD `expires_at` integer;--> statement-breakpoint
ALTER TABLE `clients` ADD `network` text;--> statement-breakpoint
CREATE INDEX `clients_network` ON `clients` (`network`) WHERE "clients"."network" is not null;--> statement-breakpoint
CREATE INDEX `clients_unused` ON `clients` (`created_at`) WHERE "clients"."owner_id" is null and "clients"."last_used_at" = "clients"."created_at";--> statement-breakpoint
CREATE INDEX `clients_expiry` ON `clients` (`expires_at`) WHERE "clients"."expires_at" is not null;--> statement-breakpoint
CREATE INDEX `clients_made_by_key` ON `clients` (`made_by_key`) WHERE "clients"."made_by_key" is not null;--> statement-breakpoint
CREATE INDEX `clients_made_by_grant` ON `clients` (`made_by_grant`) WHERE "clients"."made_by_grant" is not null;--> statement-breakpoint
ALTER TABLE `deliveries` ADD `host` text;--> statement-breakpoint
ALTER TABLE `deliveries` ADD `waiting_for` text;--> statement-breakpoint
ALTER TABLE `deliveries` ADD `waiting_since` integer;--> statement-breakpoint
CREATE INDEX `deliveries_waiting` ON `deliveries` (`waiting_for`,`waiting_since`,`id`) WHERE "deliveries"."waiting_for" is not null and "deliveries"."status" = 'pending';--> statement-breakpoint
CREATE INDEX `deliveries_without_host` ON `deliveries` (`id`) WHERE "deliveries"."host" is null and "deliveries"."status" = 'pending';--> statement-breakpoint
ALTER TABLE `grants` ADD `depth` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `inboxes` ADD `network` text;--> statement-breakpoint
ALTER TABLE `inboxes` ADD `last_used_at` integer;--> statement-breakpoint
CREATE INDEX `inboxes_network` ON `inboxes` (`network`,`last_used_at`);--> statement-breakpoint
ALTER TABLE `planets` ADD `satellite_bytes` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `planets` ADD `bytes` integer GENERATED ALWAYS AS ((octet_length("properties") + coalesce(octet_length("extras"), 0) + "satellite_bytes")) VIRTUAL NOT NULL;--> statement-breakpoint
CREATE INDEX `planets_creator` ON `planets` (`creator_id`);--> statement-breakpoint
ALTER TABLE `users` ADD `renamed_at` integer;--> statement-breakpoint
ALTER TABLE `users` ADD `deleted_at` integer;--> statement-breakpoint
ALTER TABLE `users` ADD `bodies_used` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `users` ADD `body_bytes_used` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `users` ADD `images_used` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `users` ADD `image_bytes_used` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `users` ADD `deliveries_used` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX `users_suspended` ON `users` (`id`) WHERE "users"."suspended_at" is not null;--> statement-breakpoint
CREATE INDEX `users_deleted` ON `users` (`id`) WHERE "users"."deleted_at" is not null;--> statement-breakpoint
ALTER TABLE `webhooks` ADD `canonical_url` text;--> statement-breakpoint
ALTER TABLE `webhooks` ADD `host` text;--> statement-breakpoint
CREATE INDEX `webhooks_without_host` ON `webhooks` (`id`) WHERE "webhooks"."host" is null;