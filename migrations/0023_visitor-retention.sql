CREATE TABLE `retention_positions` (
	`kind` text PRIMARY KEY NOT NULL,
	`owner_id` integer NOT NULL,
	`id` integer NOT NULL
);
