-- An event whose expansion ends without a delivery is for nobody: no subscriber of it had room for it. It goes at once,
-- because its body is charged to no account.
CREATE TRIGGER `events_unwanted` AFTER UPDATE OF `expanded_to` ON `events`
WHEN new.`expanded_to` IS NULL AND NOT EXISTS (SELECT 1 FROM `deliveries` WHERE `event_id` = new.`id`) BEGIN
	DELETE FROM `events` WHERE `id` = new.`id`;
END;
--> statement-breakpoint
-- A log shows the newest 100 attempts of a delivery, and keeps no more (src/stores/attempts.ts).
DELETE FROM `attempts` WHERE `id` NOT IN (
	SELECT `id` FROM (SELECT `id`, row_number() OVER (PARTITION BY `delivery_id` ORDER BY `id` DESC) AS `place` FROM `attempts`)
	WHERE `place` <= 100
);
