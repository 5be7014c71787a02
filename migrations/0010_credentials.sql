-- Every batch that writes for a caller first inserts a row here (src/stores/standing.ts). No row is ever stored: the
-- insertion fails, and the whole batch with it, if the credential of the caller has ended since the request began.
CREATE VIEW `credential_checks` AS
SELECT NULL AS `user_id`, NULL AS `password_generation`, NULL AS `key_id`, NULL AS `grant_id`, NULL AS `time`;
--> statement-breakpoint
-- A key or a grant that is still there says by that which password it belongs to: see `passwords_changed`. The index has
-- suspended users only, so to find nobody in it reads no row.
CREATE TRIGGER `credentials_alive` INSTEAD OF INSERT ON `credential_checks` WHEN CASE
	WHEN new.`key_id` IS NULL AND new.`grant_id` IS NULL THEN NOT EXISTS (
		SELECT 1 FROM `users`
		WHERE `id` = new.`user_id` AND `password_generation` = new.`password_generation` AND `suspended_at` IS NULL)
	WHEN EXISTS (
		SELECT 1 FROM `users` INDEXED BY `users_suspended` WHERE `id` = new.`user_id` AND `suspended_at` IS NOT NULL) THEN 1
	WHEN new.`key_id` IS NOT NULL THEN NOT EXISTS (
		SELECT 1 FROM `api_keys` WHERE `id` = new.`key_id` AND (`expires_at` IS NULL OR `expires_at` > new.`time`))
	ELSE NOT EXISTS (
		SELECT 1 FROM `grants` WHERE `id` = new.`grant_id` AND `ended_at` IS NULL AND `expires_at` > new.`time`)
END
BEGIN
	SELECT RAISE(ABORT, 'credential ended');
END;
--> statement-breakpoint
-- What a grant has made ends with it, whichever statement ends it. A key or a client that is deleted takes along what it
-- has made by its foreign keys.
CREATE TRIGGER `grants_ended` AFTER UPDATE OF `ended_at` ON `grants` WHEN old.`ended_at` IS NULL AND new.`ended_at` IS NOT NULL BEGIN
	DELETE FROM `api_keys` WHERE `made_by_grant` = new.`id`;
	DELETE FROM `clients` WHERE `made_by_grant` = new.`id`;
END;
--> statement-breakpoint
-- Whatever was made under a password ends with it, whichever statement changes it.
CREATE TRIGGER `passwords_changed` AFTER UPDATE OF `password_generation` ON `users` WHEN new.`password_generation` <> old.`password_generation` BEGIN
	DELETE FROM `api_keys` WHERE `user_id` = new.`id`;
	UPDATE `grants` SET `ended_at` = unixepoch('subsec') * 1000 WHERE `user_id` = new.`id` AND `ended_at` IS NULL;
	DELETE FROM `consents` WHERE `user_id` = new.`id`;
	DELETE FROM `sign_ins` WHERE `user_id` = new.`id`;
END;
--> statement-breakpoint
-- A grant is made after its user was asked. If the password has changed in between, or the account was suspended, there is
-- nothing left to grant.
CREATE TRIGGER `grants_alive` BEFORE INSERT ON `grants` WHEN NOT EXISTS (
	SELECT 1 FROM `users`
	WHERE `id` = new.`user_id` AND `password_generation` = new.`password_generation` AND `suspended_at` IS NULL
) BEGIN
	SELECT RAISE(ABORT, 'credential ended');
END;
--> statement-breakpoint
-- Chains of credentials that create one another are short: D1 refuses a statement that sets off more than some ten triggers
-- and foreign keys in a row, and then nothing in a long chain could be ended any more (src/stores/standing.ts).
CREATE TRIGGER `api_keys_deep` BEFORE INSERT ON `api_keys` WHEN new.`depth` > 2
	OR new.`depth` <= (SELECT `depth` FROM `api_keys` WHERE `id` = new.`made_by_key`)
	OR new.`depth` <= (SELECT `depth` FROM `grants` WHERE `id` = new.`made_by_grant`)
BEGIN
	SELECT RAISE(ABORT, 'credential chain too long');
END;
--> statement-breakpoint
CREATE TRIGGER `clients_deep` BEFORE INSERT ON `clients` WHEN new.`depth` > 2
	OR new.`depth` <= (SELECT `depth` FROM `api_keys` WHERE `id` = new.`made_by_key`)
	OR new.`depth` <= (SELECT `depth` FROM `grants` WHERE `id` = new.`made_by_grant`)
BEGIN
	SELECT RAISE(ABORT, 'credential chain too long');
END;
--> statement-breakpoint
CREATE TRIGGER `grants_deep` BEFORE INSERT ON `grants` WHEN new.`depth` <> (SELECT `depth` FROM `clients` WHERE `id` = new.`client_id`) BEGIN
	SELECT RAISE(ABORT, 'credential chain too long');
END;
--> statement-breakpoint
-- Until now such rows were left to the sweep.
DELETE FROM `api_keys` WHERE NOT EXISTS (
	SELECT 1 FROM `users` WHERE `id` = `api_keys`.`user_id` AND `password_generation` = `api_keys`.`password_generation`
);
--> statement-breakpoint
UPDATE `grants` SET `ended_at` = unixepoch('subsec') * 1000 WHERE `ended_at` IS NULL AND NOT EXISTS (
	SELECT 1 FROM `users` WHERE `id` = `grants`.`user_id` AND `password_generation` = `grants`.`password_generation`
);
