CREATE TABLE `log` (
	`place` integer PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`user_id` integer,
	`planet_id` integer,
	`event_count` integer NOT NULL,
	`created_at` integer NOT NULL,
	`salt` integer NOT NULL,
	`bytes_until` integer NOT NULL,
	`body` text NOT NULL,
	`details` text NOT NULL
);
--> statement-breakpoint
ALTER TABLE `events` ADD `live_id` text;--> statement-breakpoint
-- The sockets that were opened with a credential close soon after it ends, whichever statement ends it. So the end is in
-- the log, as a row without events (src/events/happening.ts). If all credentials of a user end, one row says so.
CREATE TRIGGER `users_credentials_ended` AFTER UPDATE OF `password_generation`, `suspended_at`, `deleted_at` ON `users`
WHEN new.`password_generation` <> old.`password_generation`
	OR (new.`suspended_at` IS NOT NULL AND old.`suspended_at` IS NULL)
	OR (new.`deleted_at` IS NOT NULL AND old.`deleted_at` IS NULL)
BEGIN
	INSERT INTO `log` (`kind`, `user_id`, `event_count`, `created_at`, `salt`, `bytes_until`, `body`, `details`)
	SELECT 'credential_ended', new.`id`, 0, unixepoch('subsec') * 1000, abs(random()) % 4194304,
		coalesce((SELECT `bytes_until` FROM `log` ORDER BY `place` DESC LIMIT 1), 0), json_object('userId', new.`id`), '{}';
END;
--> statement-breakpoint
CREATE TRIGGER `api_keys_credential_ended` AFTER DELETE ON `api_keys` WHEN EXISTS (
	SELECT 1 FROM `users`
	WHERE `id` = old.`user_id` AND `password_generation` = old.`password_generation` AND `deleted_at` IS NULL
) BEGIN
	INSERT INTO `log` (`kind`, `user_id`, `event_count`, `created_at`, `salt`, `bytes_until`, `body`, `details`)
	SELECT 'credential_ended', old.`user_id`, 0, unixepoch('subsec') * 1000, abs(random()) % 4194304,
		coalesce((SELECT `bytes_until` FROM `log` ORDER BY `place` DESC LIMIT 1), 0),
		json_object('userId', old.`user_id`, 'keyId', old.`id`), '{}';
END;
--> statement-breakpoint
CREATE TRIGGER `grants_credential_ended` AFTER UPDATE OF `ended_at` ON `grants`
WHEN old.`ended_at` IS NULL AND new.`ended_at` IS NOT NULL AND EXISTS (
	SELECT 1 FROM `users`
	WHERE `id` = new.`user_id` AND `password_generation` = new.`password_generation` AND `deleted_at` IS NULL
) BEGIN
	INSERT INTO `log` (`kind`, `user_id`, `event_count`, `created_at`, `salt`, `bytes_until`, `body`, `details`)
	SELECT 'credential_ended', new.`user_id`, 0, unixepoch('subsec') * 1000, abs(random()) % 4194304,
		coalesce((SELECT `bytes_until` FROM `log` ORDER BY `place` DESC LIMIT 1), 0),
		json_object('userId', new.`user_id`, 'grantId', new.`id`), '{}';
END;
--> statement-breakpoint
-- A grant also ends with its client, which takes it along.
CREATE TRIGGER `grants_credential_left` AFTER DELETE ON `grants` WHEN old.`ended_at` IS NULL AND EXISTS (
	SELECT 1 FROM `users`
	WHERE `id` = old.`user_id` AND `password_generation` = old.`password_generation` AND `deleted_at` IS NULL
) BEGIN
	INSERT INTO `log` (`kind`, `user_id`, `event_count`, `created_at`, `salt`, `bytes_until`, `body`, `details`)
	SELECT 'credential_ended', old.`user_id`, 0, unixepoch('subsec') * 1000, abs(random()) % 4194304,
		coalesce((SELECT `bytes_until` FROM `log` ORDER BY `place` DESC LIMIT 1), 0),
		json_object('userId', old.`user_id`, 'grantId', old.`id`), '{}';
END;
--> statement-breakpoint
-- The API reference lets its reader try everything, so its client can have the new scopes, too.
UPDATE `clients` SET `metadata` = json_set(
	`metadata`, '$.scope',
	'read:account write:account read:planets write:planets read:events read:user:events write:events openid profile email offline_access'
) WHERE `id` = 'galaxy-reference';
