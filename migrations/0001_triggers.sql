-- Planets are counted by ranges of ids, see src/db/planet-ranks.ts. The spans here are the spans there.
CREATE TRIGGER `planets_counted` AFTER INSERT ON `planets` BEGIN
	INSERT INTO `planet_counts` (`span`, `bucket`, `planets`)
	VALUES (32, new.`id` / 32, 1), (1024, new.`id` / 1024, 1), (32768, new.`id` / 32768, 1)
	ON CONFLICT DO UPDATE SET `planets` = `planets` + 1;
END;
--> statement-breakpoint
CREATE TRIGGER `planets_uncounted` AFTER DELETE ON `planets` BEGIN
	UPDATE `planet_counts` SET `planets` = `planets` - 1 WHERE `span` = 32 AND `bucket` = old.`id` / 32;
	UPDATE `planet_counts` SET `planets` = `planets` - 1 WHERE `span` = 1024 AND `bucket` = old.`id` / 1024;
	UPDATE `planet_counts` SET `planets` = `planets` - 1 WHERE `span` = 32768 AND `bucket` = old.`id` / 32768;
END;
--> statement-breakpoint
-- An image is an orphan from the moment no planet shows it, whichever statement took it away.
CREATE TRIGGER `images_replaced` AFTER UPDATE OF `image_key` ON `planets` WHEN old.`image_key` IS NOT new.`image_key` BEGIN
	UPDATE `images` SET `orphaned_at` = unixepoch() * 1000 WHERE `key` = old.`image_key`;
	UPDATE `images` SET `orphaned_at` = NULL WHERE `key` = new.`image_key`;
END;
--> statement-breakpoint
CREATE TRIGGER `images_left` AFTER DELETE ON `planets` WHEN old.`image_key` IS NOT NULL BEGIN
	UPDATE `images` SET `orphaned_at` = unixepoch() * 1000 WHERE `key` = old.`image_key`;
END;
