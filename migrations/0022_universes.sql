CREATE TABLE `universes` (
	`id` text PRIMARY KEY NOT NULL,
	`seed` text NOT NULL,
	`created_at` integer NOT NULL,
	`made_at` integer,
	`ended_at` integer,
	`due_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `universes_due` ON `universes` (`due_at`);