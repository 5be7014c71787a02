-- What is still to be sent to a subscription is not sent once it is stopped, whichever statement stops it.
CREATE TRIGGER `webhooks_stopped` AFTER UPDATE OF `status` ON `webhooks` WHEN new.`status` <> old.`status` AND new.`status` <> 'active' BEGIN
	UPDATE `deliveries` SET `status` = 'cancelled', `next_attempt_at` = NULL, `ended_at` = unixepoch('subsec') * 1000
	WHERE `webhook_id` = new.`id` AND `status` = 'pending';
END;
--> statement-breakpoint
CREATE TRIGGER `webhooks_ended` AFTER DELETE ON `webhooks` BEGIN
	UPDATE `deliveries` SET `status` = 'cancelled', `next_attempt_at` = NULL, `ended_at` = unixepoch('subsec') * 1000
	WHERE `webhook_id` = old.`id` AND `status` = 'pending';
END;
--> statement-breakpoint
-- What is still to be sent goes where the subscription has moved to.
CREATE TRIGGER `webhooks_moved` AFTER UPDATE OF `url` ON `webhooks` WHEN old.`url` <> new.`url` BEGIN
	UPDATE `deliveries` SET `url` = new.`url` WHERE `webhook_id` = new.`id` AND `status` = 'pending';
END;
--> statement-breakpoint
-- A receiver that wants to hear no more of a planet is not sent what is on its way to it either.
CREATE TRIGGER `callbacks_refused` AFTER INSERT ON `refused_callbacks` BEGIN
	UPDATE `deliveries` SET `status` = 'cancelled', `next_attempt_at` = NULL, `ended_at` = unixepoch('subsec') * 1000
	WHERE `planet_id` = new.`planet_id` AND `webhook_id` IS NULL AND `url` = new.`url` AND `status` = 'pending';
END;
--> statement-breakpoint
-- The wish is kept for as long as the log of the planet may be.
CREATE TRIGGER `refusals_ended` AFTER DELETE ON `planets` BEGIN
	UPDATE `refused_callbacks` SET `ended_at` = unixepoch() * 1000 WHERE `planet_id` = old.`id`;
END;
