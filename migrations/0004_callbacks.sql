CREATE TABLE `attempts` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`delivery_id` integer NOT NULL,
	`started_at` integer NOT NULL,
	`duration_ms` integer NOT NULL,
	`status` integer,
	`error` text,
	`response` text,
	FOREIGN KEY (`delivery_id`) REFERENCES `deliveries`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `attempts_delivery` ON `attempts` (`delivery_id`,`id`);--> statement-breakpoint
CREATE TABLE `dead_letters` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`message_id` text NOT NULL,
	`body` text NOT NULL,
	`attempts` integer NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `dead_letters_message_id_unique` ON `dead_letters` (`message_id`);--> statement-breakpoint
CREATE INDEX `dead_letters_age` ON `dead_letters` (`created_at`);--> statement-breakpoint
CREATE TABLE `deliveries` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`event_id` integer NOT NULL,
	`event` text NOT NULL,
	`planet_id` integer,
	`message_id` text NOT NULL,
	`user_id` integer NOT NULL,
	`webhook_id` integer,
	`url` text NOT NULL,
	`origin` text NOT NULL,
	`status` text NOT NULL,
	`created_at` integer NOT NULL,
	`next_attempt_at` integer,
	`leased_until` integer,
	`retries` integer DEFAULT 0 NOT NULL,
	`ended_at` integer,
	FOREIGN KEY (`event_id`) REFERENCES `events`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `deliveries_message_id_unique` ON `deliveries` (`message_id`);--> statement-breakpoint
CREATE INDEX `deliveries_user` ON `deliveries` (`user_id`,`id`);--> statement-breakpoint
CREATE INDEX `deliveries_planet` ON `deliveries` (`planet_id`,`user_id`,`id`) WHERE "deliveries"."planet_id" is not null;--> statement-breakpoint
CREATE INDEX `deliveries_due` ON `deliveries` (`next_attempt_at`) WHERE "deliveries"."status" = 'pending';--> statement-breakpoint
CREATE UNIQUE INDEX `deliveries_expanded` ON `deliveries` (`event_id`,`webhook_id`);--> statement-breakpoint
CREATE INDEX `deliveries_webhook` ON `deliveries` (`webhook_id`) WHERE "deliveries"."status" = 'pending';--> statement-breakpoint
CREATE INDEX `deliveries_ended` ON `deliveries` (`ended_at`) WHERE "deliveries"."ended_at" is not null;--> statement-breakpoint
CREATE TABLE `events` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`type` text NOT NULL,
	`planet_id` integer,
	`body` text NOT NULL,
	`created_at` integer NOT NULL,
	`expanded_to` integer
);
--> statement-breakpoint
CREATE INDEX `events_to_expand` ON `events` (`id`) WHERE "events"."expanded_to" is not null;--> statement-breakpoint
CREATE INDEX `events_age` ON `events` (`created_at`);--> statement-breakpoint
CREATE TABLE `inbox_requests` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`inbox_id` text NOT NULL,
	`received_at` integer NOT NULL,
	`request` text NOT NULL,
	FOREIGN KEY (`inbox_id`) REFERENCES `inboxes`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `inbox_requests_inbox` ON `inbox_requests` (`inbox_id`,`id`);--> statement-breakpoint
CREATE TABLE `inboxes` (
	`id` text PRIMARY KEY NOT NULL,
	`status` integer NOT NULL,
	`body` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `inboxes_expiry` ON `inboxes` (`expires_at`);--> statement-breakpoint
CREATE TABLE `refused_callbacks` (
	`planet_id` integer NOT NULL,
	`url` text NOT NULL,
	`ended_at` integer,
	PRIMARY KEY(`planet_id`, `url`)
);
--> statement-breakpoint
CREATE INDEX `refused_callbacks_ended` ON `refused_callbacks` (`ended_at`) WHERE "refused_callbacks"."ended_at" is not null;--> statement-breakpoint
CREATE TABLE `signing_secrets` (
	`user_id` integer PRIMARY KEY NOT NULL,
	`secret` text NOT NULL,
	`created_at` integer NOT NULL,
	`previous` text,
	`previous_ends_at` integer,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `webhooks` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`user_id` integer NOT NULL,
	`url` text NOT NULL,
	`events` text NOT NULL,
	`status` text NOT NULL,
	`origin` text NOT NULL,
	`secret` text NOT NULL,
	`auth_scheme` text,
	`auth` text,
	`created_at` integer NOT NULL,
	`active_since` integer NOT NULL,
	`failures` integer DEFAULT 0 NOT NULL,
	`failing_since` integer,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `webhooks_user` ON `webhooks` (`user_id`,`id`);--> statement-breakpoint
CREATE INDEX `webhooks_active` ON `webhooks` (`id`) WHERE "webhooks"."status" = 'active';