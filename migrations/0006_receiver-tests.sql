CREATE TABLE `webhook_checks` (
	`id` text PRIMARY KEY NOT NULL,
	`webhook_id` integer NOT NULL,
	`event` text NOT NULL,
	`results` text NOT NULL,
	`created_at` integer NOT NULL,
	`ended_at` integer,
	FOREIGN KEY (`webhook_id`) REFERENCES `webhooks`(`id`) ON UPDATE no action ON DELETE cascade
);

CREATE INDEX `webhook_checks_webhook` ON `webhook_checks` (`webhook_id`,`created_at`);
CREATE INDEX `webhook_checks_running` ON `webhook_checks` (`created_at`) WHERE "webhook_checks"."ended_at" is null;
CREATE INDEX `webhook_checks_age` ON `webhook_checks` (`created_at`);
CREATE TABLE `webhook_tests` (
	`delivery_id` integer PRIMARY KEY NOT NULL,
	`defect` text NOT NULL,
	`verdict` text,
	`reason` text,
	`first_call_at` integer,
	`check_id` text,
	FOREIGN KEY (`delivery_id`) REFERENCES `deliveries`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`check_id`) REFERENCES `webhook_checks`(`id`) ON UPDATE no action ON DELETE set null
);

CREATE INDEX `webhook_tests_check` ON `webhook_tests` (`check_id`,`delivery_id`) WHERE "webhook_tests"."check_id" is not null;
ALTER TABLE `webhooks` ADD `public_key` text;

-- The ids of deliveries are known before a write (src/changes/ids.ts).
INSERT INTO `sqlite_sequence` (`name`, `seq`)
SELECT 'deliveries', 0 WHERE NOT EXISTS (SELECT 1 FROM `sqlite_sequence` WHERE `name` = 'deliveries');

-- A test of a receiver is sent whatever the status of its subscription.
DROP TRIGGER `webhooks_stopped`;
CREATE TRIGGER `webhooks_stopped` AFTER UPDATE OF `status` ON `webhooks` WHEN new.`status` <> old.`status` AND new.`status` <> 'active' BEGIN
	UPDATE `deliveries` SET `status` = 'cancelled', `next_attempt_at` = NULL, `ended_at` = unixepoch('subsec') * 1000
	WHERE `webhook_id` = new.`id` AND `status` = 'pending'
		AND NOT EXISTS (SELECT 1 FROM `webhook_tests` WHERE `delivery_id` = `deliveries`.`id`);
END;

-- What a check has not sent leaves the log when the check ends, whichever statement ends it. A test of which one of two
-- calls was made stays there, and so does one that a worker has when the check is deleted with its subscription.
CREATE TRIGGER `webhook_checks_ended` AFTER UPDATE OF `ended_at` ON `webhook_checks` WHEN old.`ended_at` IS NULL AND new.`ended_at` IS NOT NULL BEGIN
	DELETE FROM `deliveries` WHERE `id` IN (SELECT `delivery_id` FROM `webhook_tests` WHERE `check_id` = new.`id`)
		AND `status` = 'pending' AND `retries` = 0;
	UPDATE `deliveries` SET `status` = 'cancelled', `next_attempt_at` = NULL, `ended_at` = unixepoch('subsec') * 1000
	WHERE `id` IN (SELECT `delivery_id` FROM `webhook_tests` WHERE `check_id` = new.`id`) AND `status` = 'pending';
END;
CREATE TRIGGER `webhook_checks_left` BEFORE DELETE ON `webhook_checks` WHEN old.`ended_at` IS NULL BEGIN
	DELETE FROM `deliveries` WHERE `id` IN (SELECT `delivery_id` FROM `webhook_tests` WHERE `check_id` = old.`id`)
		AND `status` = 'pending' AND `retries` = 0 AND `leased_until` IS NULL;
END;
