-- What is still to be sent goes where the subscription has moved to, and counts to the host there.
DROP TRIGGER `webhooks_moved`;
--> statement-breakpoint
CREATE TRIGGER `webhooks_moved` AFTER UPDATE OF `url` ON `webhooks` WHEN old.`url` <> new.`url` BEGIN
	UPDATE `deliveries` SET `url` = new.`url`, `origin` = new.`origin`, `host` = new.`host`
	WHERE `webhook_id` = new.`id` AND `status` = 'pending';
	-- What waits for its turn at the host of before is due at the new one.
	UPDATE `deliveries` SET `waiting_for` = NULL, `next_attempt_at` = `waiting_since`
	WHERE `webhook_id` = new.`id` AND `status` = 'pending' AND `waiting_for` IS NOT NULL AND old.`host` IS NOT new.`host`;
END;
