-- If the owner of a client is suspended, what other users have allowed the client ends, and with it what the client has
-- created for them (trigger `grants_ended`). A deleted account loses its clients altogether (trigger `users_deleted`).
CREATE TRIGGER `owners_suspended` AFTER UPDATE OF `suspended_at` ON `users`
WHEN old.`suspended_at` IS NULL AND new.`suspended_at` IS NOT NULL AND new.`deleted_at` IS NULL BEGIN
	UPDATE `grants` SET `ended_at` = unixepoch('subsec') * 1000
	WHERE `client_id` IN (SELECT `id` FROM `clients` WHERE `owner_id` = new.`id`) AND `user_id` <> new.`id` AND `ended_at` IS NULL;
END;
--> statement-breakpoint
-- As before, and nothing is granted to a client whose owner was suspended while its user was asked.
DROP TRIGGER `grants_alive`;
--> statement-breakpoint
CREATE TRIGGER `grants_alive` BEFORE INSERT ON `grants` WHEN NOT EXISTS (
	SELECT 1 FROM `users`
	WHERE `id` = new.`user_id` AND `password_generation` = new.`password_generation` AND `suspended_at` IS NULL
) OR EXISTS (
	SELECT 1 FROM `clients` JOIN `users` ON `users`.`id` = `clients`.`owner_id`
	WHERE `clients`.`id` = new.`client_id` AND `users`.`suspended_at` IS NOT NULL
) BEGIN
	SELECT RAISE(ABORT, 'credential ended');
END;
--> statement-breakpoint
-- What was allowed before this.
UPDATE `grants` SET `ended_at` = unixepoch('subsec') * 1000
WHERE `ended_at` IS NULL AND EXISTS (
	SELECT 1 FROM `clients` JOIN `users` ON `users`.`id` = `clients`.`owner_id`
	WHERE `clients`.`id` = `grants`.`client_id` AND `users`.`id` <> `grants`.`user_id` AND `users`.`suspended_at` IS NOT NULL
);
