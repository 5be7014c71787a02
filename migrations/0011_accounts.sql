-- How an account is deleted (src/stores/removed-accounts.ts): `deleted_at` is set, and from that moment the account has no
-- e-mail, no name, no password and no credential. What it owns is removed in steps. The row goes last.

-- User 1 owns the shipped planets. Nobody else can get this id, even if somebody signs up before the planets are loaded.
INSERT INTO `sqlite_sequence` (`name`, `seq`) SELECT 'users', 1 WHERE NOT EXISTS (SELECT 1 FROM `sqlite_sequence` WHERE `name` = 'users');
--> statement-breakpoint
CREATE TRIGGER `users_kept` BEFORE UPDATE OF `deleted_at` ON `users` WHEN old.`id` = 1 AND new.`deleted_at` IS NOT NULL BEGIN
	SELECT RAISE(ABORT, 'user 1 owns the shipped planets');
END;
--> statement-breakpoint
CREATE TRIGGER `users_deleted` AFTER UPDATE OF `deleted_at` ON `users` WHEN old.`deleted_at` IS NULL AND new.`deleted_at` IS NOT NULL BEGIN
	UPDATE `users` SET
		`email` = NULL, `email_key` = NULL, `name` = NULL, `password_hash` = NULL, `issuer` = NULL, `subject` = NULL,
		`password_generation` = `password_generation` + 1,
		`suspended_at` = coalesce(`suspended_at`, new.`deleted_at`),
		`renamed_at` = max(coalesce(`renamed_at`, 0) + 1, (new.`deleted_at` / 1000 + 1) * 1000)
	WHERE `id` = new.`id`;
	-- Other users' tokens of these clients end now as well.
	DELETE FROM `clients` WHERE `owner_id` = new.`id`;
	DELETE FROM `rate_limits` WHERE `key` = 'password/email/' || old.`email_key`;
	-- '0' is the character after '/'.
	DELETE FROM `rate_limits` WHERE `key` > 'password/known/' || old.`email_key` || '/' AND `key` < 'password/known/' || old.`email_key` || '0';
	-- For a day a token that a provider issued before this makes no new account (src/stores/users.ts).
	INSERT INTO `rate_limits` (`key`, `attempts`, `resets_at`)
	SELECT 'deleted/' || old.`issuer` || ' ' || old.`subject`, 0, new.`deleted_at` + 86400000 WHERE old.`issuer` IS NOT NULL
	ON CONFLICT DO UPDATE SET `resets_at` = excluded.`resets_at`;
END;
--> statement-breakpoint
-- A row of users takes along whatever refers to it. Tables whose foreign key has ON DELETE CASCADE need no line here.
CREATE TRIGGER `users_left` BEFORE DELETE ON `users` BEGIN
	DELETE FROM `planets` WHERE `creator_id` = old.`id`;
	DELETE FROM `bodies` WHERE `creator_id` = old.`id`;
	DELETE FROM `clients` WHERE `owner_id` = old.`id`;
	DELETE FROM `grants` WHERE `user_id` = old.`id`;
	DELETE FROM `api_keys` WHERE `user_id` = old.`id`;
	DELETE FROM `sign_ins` WHERE `user_id` = old.`id`;
END;
--> statement-breakpoint
-- The image of a deleted account is due for removal at once. Any other is kept for an hour, in case its upload is under way.
DROP TRIGGER `images_left`;
--> statement-breakpoint
CREATE TRIGGER `images_left` AFTER DELETE ON `planets` WHEN old.`image_key` IS NOT NULL BEGIN
	UPDATE `images` SET `orphaned_at` = iif(
		EXISTS (SELECT 1 FROM `users` WHERE `id` = old.`creator_id` AND `deleted_at` IS NOT NULL), 0, unixepoch() * 1000
	) WHERE `key` = old.`image_key`;
END;
--> statement-breakpoint
-- An event goes with the last delivery of it, unless there are subscribers that it still has to be sent to.
CREATE TRIGGER `events_left` AFTER DELETE ON `deliveries` WHEN NOT EXISTS (SELECT 1 FROM `deliveries` WHERE `event_id` = old.`event_id`) BEGIN
	DELETE FROM `events` WHERE `id` = old.`event_id` AND `expanded_to` IS NULL;
END;
--> statement-breakpoint
-- An attempt that ends after its delivery was removed has no log to be written to.
CREATE TRIGGER `attempts_late` BEFORE INSERT ON `attempts` WHEN NOT EXISTS (SELECT 1 FROM `deliveries` WHERE `id` = new.`delivery_id`) BEGIN
	SELECT RAISE(IGNORE);
END;
--> statement-breakpoint
-- Nobody is signed in, and nothing is refreshed, for a user or under a grant that went while the request was under way.
CREATE TRIGGER `sign_ins_late` BEFORE INSERT ON `sign_ins` WHEN NOT EXISTS (SELECT 1 FROM `users` WHERE `id` = new.`user_id`) BEGIN
	SELECT RAISE(IGNORE);
END;
--> statement-breakpoint
CREATE TRIGGER `refresh_tokens_late` BEFORE INSERT ON `refresh_tokens` WHEN NOT EXISTS (SELECT 1 FROM `grants` WHERE `id` = new.`grant_id`) BEGIN
	SELECT RAISE(IGNORE);
END;
