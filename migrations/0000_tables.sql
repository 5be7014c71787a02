CREATE TABLE `images` (
	`key` text PRIMARY KEY NOT NULL,
	`mime_type` text NOT NULL,
	`file_size` integer NOT NULL,
	`uploaded_at` integer NOT NULL,
	`orphaned_at` integer
);
--> statement-breakpoint
CREATE INDEX `images_orphaned` ON `images` (`orphaned_at`) WHERE "images"."orphaned_at" is not null;--> statement-breakpoint
CREATE TABLE `planet_counts` (
	`span` integer NOT NULL,
	`bucket` integer NOT NULL,
	`planets` integer NOT NULL,
	PRIMARY KEY(`span`, `bucket`)
);
--> statement-breakpoint
CREATE TABLE `planets` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`creator_id` integer NOT NULL,
	`version` integer DEFAULT 1 NOT NULL,
	`last_updated` integer NOT NULL,
	`properties` text NOT NULL,
	`lists_satellites` integer NOT NULL,
	`image_key` text,
	FOREIGN KEY (`creator_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE TABLE `rate_limits` (
	`key` text PRIMARY KEY NOT NULL,
	`attempts` integer NOT NULL,
	`resets_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `rate_limits_reset` ON `rate_limits` (`resets_at`);--> statement-breakpoint
CREATE TABLE `satellites` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`planet_id` integer NOT NULL,
	`position` integer NOT NULL,
	`properties` text NOT NULL,
	FOREIGN KEY (`planet_id`) REFERENCES `planets`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `satellites_planet` ON `satellites` (`planet_id`,`position`);--> statement-breakpoint
CREATE TABLE `users` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`email` text,
	`email_key` text,
	`name` text,
	`password_hash` text,
	`password_generation` integer DEFAULT 0 NOT NULL,
	`suspended_at` integer,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `users_email_key_unique` ON `users` (`email_key`);