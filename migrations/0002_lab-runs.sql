CREATE TABLE `lab_results` (
	`run_id` text NOT NULL,
	`case_id` text NOT NULL,
	`requests` integer NOT NULL,
	`last_at` integer NOT NULL,
	`request_id` text NOT NULL,
	`steps` text NOT NULL,
	`received` blob,
	PRIMARY KEY(`run_id`, `case_id`),
	FOREIGN KEY (`run_id`) REFERENCES `lab_runs`(`id`) ON UPDATE no action ON DELETE cascade
);

CREATE TABLE `lab_runs` (
	`id` text PRIMARY KEY NOT NULL,
	`tool` text NOT NULL,
	`version` text NOT NULL,
	`expect` text NOT NULL,
	`skip` text NOT NULL,
	`closed` integer NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`network` text NOT NULL
);

CREATE INDEX `lab_runs_expiry` ON `lab_runs` (`expires_at`);
CREATE INDEX `lab_runs_network` ON `lab_runs` (`network`,`expires_at`);