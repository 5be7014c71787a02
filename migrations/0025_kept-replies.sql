CREATE TABLE `kept_replies` (
	`user_id` integer NOT NULL,
	`key` text NOT NULL,
	`fingerprint` text NOT NULL,
	`claim` text,
	`created_at` integer NOT NULL,
	`ids` text,
	`reply` text,
	PRIMARY KEY(`user_id`, `key`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade,
	CONSTRAINT "kept_replies_claimed" CHECK("kept_replies"."claim" is null or "kept_replies"."reply" is null)
);
--> statement-breakpoint
CREATE INDEX `kept_replies_age` ON `kept_replies` (`created_at`);