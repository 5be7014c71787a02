-- Planets are counted by ranges of ids, see src/db/planet-ranks.ts. The spans here are the spans there.
CREATE TRIGGER `planets_counted` AFTER INSERT ON `planets` BEGIN
	INSERT INTO `planet_counts` (`span`, `bucket`, `planets`)
	VALUES (8, new.`id` / 8, 1), (64, new.`id` / 64, 1), (512, new.`id` / 512, 1), (4096, new.`id` / 4096, 1), (32768, new.`id` / 32768, 1)
	ON CONFLICT DO UPDATE SET `planets` = `planets` + 1;
END;
--> statement-breakpoint
CREATE TRIGGER `planets_uncounted` AFTER DELETE ON `planets` BEGIN
	UPDATE `planet_counts` SET `planets` = `planets` - 1 WHERE (`span`, `bucket`) IN (
		VALUES (8, old.`id` / 8), (64, old.`id` / 64), (512, old.`id` / 512), (4096, old.`id` / 4096), (32768, old.`id` / 32768)
	);
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
--> statement-breakpoint
-- A write that has to find a certain version sets the next one. Where it finds another, its whole batch is undone.
CREATE TRIGGER `planets_versioned` BEFORE UPDATE OF `version` ON `planets` WHEN new.`version` <> old.`version` + 1 BEGIN
	SELECT RAISE(ABORT, 'planet version conflict');
END;
