CREATE TABLE `observation_batches` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` integer NOT NULL,
	`planet_id` integer NOT NULL,
	`observer` text NOT NULL,
	`observed_at` text,
	`accepted` integer NOT NULL,
	`images` text,
	`observations` text,
	`created_at` integer NOT NULL,
	`leased_until` integer,
	`completed_at` integer,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`planet_id`) REFERENCES `planets`(`id`) ON UPDATE no action ON DELETE cascade
);

CREATE INDEX `observation_batches_user` ON `observation_batches` (`user_id`,`planet_id`,`created_at`);
CREATE INDEX `observation_batches_planet` ON `observation_batches` (`planet_id`);
CREATE INDEX `observation_batches_unfinished` ON `observation_batches` (`created_at`) WHERE "observation_batches"."completed_at" is null;
CREATE INDEX `observation_batches_completed` ON `observation_batches` (`completed_at`) WHERE "observation_batches"."completed_at" is not null;