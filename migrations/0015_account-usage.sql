-- What is stored already is measured and counted: satellites first, because what they belong to includes their bytes.
UPDATE `bodies` SET `satellite_bytes` = (SELECT sum(`satellites`.`bytes`) FROM `bodies` AS `satellites` WHERE `satellites`.`host_id` = `bodies`.`id`)
WHERE `id` IN (SELECT `host_id` FROM `bodies` WHERE `host_id` IS NOT NULL);
--> statement-breakpoint
UPDATE `planets` SET `satellite_bytes` = (SELECT sum(`bytes`) FROM `bodies` WHERE `planet_id` = `planets`.`id`)
WHERE `id` IN (SELECT `planet_id` FROM `bodies` WHERE `planet_id` IS NOT NULL);
--> statement-breakpoint
UPDATE `users` SET `bodies_used` = `used`.`bodies`, `body_bytes_used` = `used`.`bytes` FROM (
	SELECT `creator_id`, count(*) AS `bodies`, sum(`bytes`) AS `bytes` FROM (
		SELECT `creator_id`, `bytes` FROM `planets`
		UNION ALL
		SELECT `creator_id`, `bytes` FROM `bodies` WHERE `planet_id` IS NULL AND `host_id` IS NULL
	) GROUP BY `creator_id`
) AS `used` WHERE `used`.`creator_id` = `users`.`id`;
--> statement-breakpoint
UPDATE `users` SET `images_used` = `used`.`images`, `image_bytes_used` = `used`.`bytes` FROM (
	SELECT `creator_id`, count(*) AS `images`, sum(`file_size`) AS `bytes` FROM `planets` JOIN `images` ON `images`.`key` = `planets`.`image_key`
	GROUP BY `creator_id`
) AS `used` WHERE `used`.`creator_id` = `users`.`id`;
--> statement-breakpoint
UPDATE `users` SET `deliveries_used` = `used`.`deliveries` FROM (
	SELECT `user_id`, count(*) AS `deliveries` FROM `deliveries` GROUP BY `user_id`
) AS `used` WHERE `used`.`user_id` = `users`.`id`;
--> statement-breakpoint
-- What is to be added to an account, and what it may hold (src/stores/usage.ts). Where it would hold more, the whole batch
-- is undone. A row that is not charged is only checked: then a trigger below charges for what is written.
CREATE VIEW `account_charges` AS
SELECT `id` AS `user_id`, 0 AS `bodies`, 0 AS `body_bytes`, 0 AS `images`, 0 AS `image_bytes`, 0 AS `deliveries`,
	0 AS `bodies_max`, 0 AS `body_bytes_max`, 0 AS `images_max`, 0 AS `image_bytes_max`, 0 AS `deliveries_max`, false AS `is_charged`
FROM `users` WHERE false;
--> statement-breakpoint
CREATE TRIGGER `account_charged` INSTEAD OF INSERT ON `account_charges` BEGIN
	SELECT RAISE(ABORT, 'account limit: celestialBodies') FROM `users`
	WHERE `id` = new.`user_id` AND new.`bodies` > 0 AND `bodies_used` + new.`bodies` > new.`bodies_max`;
	SELECT RAISE(ABORT, 'account limit: celestialBodyBytes') FROM `users`
	WHERE `id` = new.`user_id` AND new.`body_bytes` > 0 AND `body_bytes_used` + new.`body_bytes` > new.`body_bytes_max`;
	SELECT RAISE(ABORT, 'account limit: images') FROM `users`
	WHERE `id` = new.`user_id` AND new.`images` > 0 AND `images_used` + new.`images` > new.`images_max`;
	SELECT RAISE(ABORT, 'account limit: imageBytes') FROM `users`
	WHERE `id` = new.`user_id` AND new.`image_bytes` > 0 AND `image_bytes_used` + new.`image_bytes` > new.`image_bytes_max`;
	SELECT RAISE(ABORT, 'account limit: deliveries') FROM `users`
	WHERE `id` = new.`user_id` AND new.`deliveries` > 0 AND `deliveries_used` + new.`deliveries` > new.`deliveries_max`;
	UPDATE `users` SET
		`bodies_used` = `bodies_used` + new.`bodies`, `body_bytes_used` = `body_bytes_used` + new.`body_bytes`,
		`images_used` = `images_used` + new.`images`, `image_bytes_used` = `image_bytes_used` + new.`image_bytes`,
		`deliveries_used` = `deliveries_used` + new.`deliveries`
	WHERE new.`is_charged` AND `id` = new.`user_id`;
END;
--> statement-breakpoint
-- What changes its size, or its image, is charged for the difference, whichever statement changes it.
CREATE TRIGGER `planets_resized` AFTER UPDATE ON `planets`
WHEN new.`bytes` <> old.`bytes` OR new.`image_key` IS NOT old.`image_key` BEGIN
	UPDATE `users` SET
		`body_bytes_used` = `body_bytes_used` + new.`bytes` - old.`bytes`,
		`images_used` = `images_used` + (new.`image_key` IS NOT NULL) - (old.`image_key` IS NOT NULL),
		`image_bytes_used` = `image_bytes_used`
			+ coalesce((SELECT `file_size` FROM `images` WHERE `key` = new.`image_key`), 0)
			- coalesce((SELECT `file_size` FROM `images` WHERE `key` = old.`image_key`), 0)
	WHERE `id` = new.`creator_id`;
END;
--> statement-breakpoint
-- What goes gives its room back, whichever statement removes it. A planet that explodes is told of once, in the batch that
-- removes it: that delivery is counted here, so that both are one write.
CREATE TRIGGER `planets_removed` AFTER DELETE ON `planets` BEGIN
	UPDATE `users` SET
		`bodies_used` = `bodies_used` - 1,
		`body_bytes_used` = `body_bytes_used` - old.`bytes`,
		`images_used` = `images_used` - (old.`image_key` IS NOT NULL),
		`image_bytes_used` = `image_bytes_used` - coalesce((SELECT `file_size` FROM `images` WHERE `key` = old.`image_key`), 0),
		`deliveries_used` = `deliveries_used` + (
			SELECT count(*) FROM `deliveries`
			WHERE `planet_id` = old.`id` AND `user_id` = old.`creator_id` AND `event` = 'planetExploded'
		)
	WHERE `id` = old.`creator_id`;
END;
--> statement-breakpoint
CREATE TRIGGER `bodies_removed` AFTER DELETE ON `bodies` WHEN old.`planet_id` IS NULL AND old.`host_id` IS NULL BEGIN
	UPDATE `users` SET `bodies_used` = `bodies_used` - 1, `body_bytes_used` = `body_bytes_used` - old.`bytes`
	WHERE `id` = old.`creator_id`;
END;
--> statement-breakpoint
CREATE TRIGGER `deliveries_removed` AFTER DELETE ON `deliveries` BEGIN
	UPDATE `users` SET `deliveries_used` = `deliveries_used` - 1 WHERE `id` = old.`user_id`;
END;
