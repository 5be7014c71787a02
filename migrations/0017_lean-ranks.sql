DROP INDEX `bodies_planet`;--> statement-breakpoint
CREATE INDEX `bodies_planet` ON `bodies` (`planet_id`,`position`) WHERE "bodies"."planet_id" is not null;--> statement-breakpoint
ALTER TABLE `body_counts` ADD `present` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `planet_counts` ADD `present` integer DEFAULT 0 NOT NULL;