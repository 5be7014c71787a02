CREATE TABLE `bodies` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`planet_id` integer,
	`host_id` integer,
	`position` integer NOT NULL,
	`creator_id` integer NOT NULL,
	`last_updated` integer NOT NULL,
	`type` text,
	`properties` text NOT NULL,
	`extras` text,
	`lists_satellites` integer NOT NULL,
	FOREIGN KEY (`planet_id`) REFERENCES `planets`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`host_id`) REFERENCES `bodies`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`creator_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "bodies_bounded" CHECK("bodies"."position" < 100)
);
--> statement-breakpoint
CREATE INDEX `bodies_planet` ON `bodies` (`planet_id`,`position`);--> statement-breakpoint
CREATE INDEX `bodies_host` ON `bodies` (`host_id`,`position`) WHERE "bodies"."host_id" is not null;--> statement-breakpoint
CREATE INDEX `bodies_type` ON `bodies` (`type`,`id`);--> statement-breakpoint
CREATE TABLE `body_counts` (
	`span` integer NOT NULL,
	`bucket` integer NOT NULL,
	`bodies` integer NOT NULL,
	PRIMARY KEY(`span`, `bucket`)
);
--> statement-breakpoint
ALTER TABLE `planets` ADD `extras` text;--> statement-breakpoint
CREATE INDEX `planets_type` ON `planets` ("properties" ->> '$.type',`id`);