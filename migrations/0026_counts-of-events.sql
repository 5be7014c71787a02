ALTER TABLE `images` ADD `url` text;--> statement-breakpoint
-- The log is copied, because its long columns are to stay the last ones. A table cannot be renamed while a trigger names it.
DROP TRIGGER `users_credentials_ended`;--> statement-breakpoint
DROP TRIGGER `api_keys_credential_ended`;--> statement-breakpoint
DROP TRIGGER `grants_credential_ended`;--> statement-breakpoint
DROP TRIGGER `grants_credential_left`;--> statement-breakpoint
CREATE TABLE `__new_log` (
	`place` integer PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`user_id` integer,
	`planet_id` integer,
	`event_count` integer NOT NULL,
	`created_at` integer NOT NULL,
	`salt` integer NOT NULL,
	`bytes_until` integer NOT NULL,
	`public_until` integer DEFAULT 0 NOT NULL,
	`private_until` integer DEFAULT 0 NOT NULL,
	`body` text NOT NULL,
	`details` text NOT NULL
);
--> statement-breakpoint
INSERT INTO `__new_log`
SELECT `place`, `kind`, `user_id`, `planet_id`, `event_count`, `created_at`, `salt`, `bytes_until`,
	sum(iif(`user_id` IS NULL, `event_count`, 0)) OVER (ORDER BY `place`),
	sum(iif(`user_id` IS NULL, 0, `event_count`)) OVER (PARTITION BY `user_id` ORDER BY `place`),
	`body`, `details`
FROM `log`;
--> statement-breakpoint
DROP TABLE `log`;--> statement-breakpoint
ALTER TABLE `__new_log` RENAME TO `log`;--> statement-breakpoint
CREATE INDEX `log_of_user` ON `log` (`user_id`,`place`) WHERE "log"."user_id" is not null;--> statement-breakpoint
-- The triggers of 0024_log, with the new columns.
CREATE TRIGGER `users_credentials_ended` AFTER UPDATE OF `password_generation`, `suspended_at`, `deleted_at` ON `users`
WHEN new.`password_generation` <> old.`password_generation`
	OR (new.`suspended_at` IS NOT NULL AND old.`suspended_at` IS NULL)
	OR (new.`deleted_at` IS NOT NULL AND old.`deleted_at` IS NULL)
BEGIN
	INSERT INTO `log` (`kind`, `user_id`, `event_count`, `created_at`, `salt`,
		`bytes_until`, `public_until`, `private_until`, `body`, `details`)
	SELECT 'credential_ended', new.`id`, 0, unixepoch('subsec') * 1000, abs(random()) % 4194304,
		coalesce((SELECT `bytes_until` FROM `log` ORDER BY `place` DESC LIMIT 1), 0),
		coalesce((SELECT `public_until` FROM `log` ORDER BY `place` DESC LIMIT 1), 0),
		coalesce((SELECT `private_until` FROM `log` WHERE `user_id` = new.`id` ORDER BY `place` DESC LIMIT 1), 0),
		json_object('userId', new.`id`), '{}';
END;
--> statement-breakpoint
CREATE TRIGGER `api_keys_credential_ended` AFTER DELETE ON `api_keys` WHEN EXISTS (
	SELECT 1 FROM `users`
	WHERE `id` = old.`user_id` AND `password_generation` = old.`password_generation` AND `deleted_at` IS NULL
) BEGIN
	INSERT INTO `log` (`kind`, `user_id`, `event_count`, `created_at`, `salt`,
		`bytes_until`, `public_until`, `private_until`, `body`, `details`)
	SELECT 'credential_ended', old.`user_id`, 0, unixepoch('subsec') * 1000, abs(random()) % 4194304,
		coalesce((SELECT `bytes_until` FROM `log` ORDER BY `place` DESC LIMIT 1), 0),
		coalesce((SELECT `public_until` FROM `log` ORDER BY `place` DESC LIMIT 1), 0),
		coalesce((SELECT `private_until` FROM `log` WHERE `user_id` = old.`user_id` ORDER BY `place` DESC LIMIT 1), 0),
		json_object('userId', old.`user_id`, 'keyId', old.`id`), '{}';
END;
--> statement-breakpoint
CREATE TRIGGER `grants_credential_ended` AFTER UPDATE OF `ended_at` ON `grants`
WHEN old.`ended_at` IS NULL AND new.`ended_at` IS NOT NULL AND EXISTS (
	SELECT 1 FROM `users`
	WHERE `id` = new.`user_id` AND `password_generation` = new.`password_generation` AND `deleted_at` IS NULL
) BEGIN
	INSERT INTO `log` (`kind`, `user_id`, `event_count`, `created_at`, `salt`,
		`bytes_until`, `public_until`, `private_until`, `body`, `details`)
	SELECT 'credential_ended', new.`user_id`, 0, unixepoch('subsec') * 1000, abs(random()) % 4194304,
		coalesce((SELECT `bytes_until` FROM `log` ORDER BY `place` DESC LIMIT 1), 0),
		coalesce((SELECT `public_until` FROM `log` ORDER BY `place` DESC LIMIT 1), 0),
		coalesce((SELECT `private_until` FROM `log` WHERE `user_id` = new.`user_id` ORDER BY `place` DESC LIMIT 1), 0),
		json_object('userId', new.`user_id`, 'grantId', new.`id`), '{}';
END;
--> statement-breakpoint
CREATE TRIGGER `grants_credential_left` AFTER DELETE ON `grants` WHEN old.`ended_at` IS NULL AND EXISTS (
	SELECT 1 FROM `users`
	WHERE `id` = old.`user_id` AND `password_generation` = old.`password_generation` AND `deleted_at` IS NULL
) BEGIN
	INSERT INTO `log` (`kind`, `user_id`, `event_count`, `created_at`, `salt`,
		`bytes_until`, `public_until`, `private_until`, `body`, `details`)
	SELECT 'credential_ended', old.`user_id`, 0, unixepoch('subsec') * 1000, abs(random()) % 4194304,
		coalesce((SELECT `bytes_until` FROM `log` ORDER BY `place` DESC LIMIT 1), 0),
		coalesce((SELECT `public_until` FROM `log` ORDER BY `place` DESC LIMIT 1), 0),
		coalesce((SELECT `private_until` FROM `log` WHERE `user_id` = old.`user_id` ORDER BY `place` DESC LIMIT 1), 0),
		json_object('userId', old.`user_id`, 'grantId', old.`id`), '{}';
END;
--> statement-breakpoint
-- An older version of the code, which may run beside a newer one, does not know the counts. Without them, the list of
-- events would begin anew at its rows.
CREATE TRIGGER `log_counted` AFTER INSERT ON `log`
WHEN new.`public_until` = 0 AND new.`private_until` = 0 AND (
	new.`event_count` > 0
	OR (SELECT `public_until` FROM `log` WHERE `place` < new.`place` ORDER BY `place` DESC LIMIT 1) > 0
)
BEGIN
	UPDATE `log` SET
		`public_until` = coalesce(
			(SELECT `public_until` FROM `log` WHERE `place` < new.`place` ORDER BY `place` DESC LIMIT 1), 0
		) + iif(new.`user_id` IS NULL, new.`event_count`, 0),
		`private_until` = iif(new.`user_id` IS NULL, 0, new.`event_count` + coalesce(
			(SELECT `private_until` FROM `log` WHERE `user_id` = new.`user_id` AND `place` < new.`place` ORDER BY `place` DESC LIMIT 1), 0
		))
	WHERE `place` = new.`place`;
END;
