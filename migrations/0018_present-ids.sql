-- Ids are counted in spans of 64, 512, 4,096 and 32,768 (src/db/ranks.ts). The narrowest say which ids there are, so the count
-- in spans of 8, one row more for each write, is not needed any longer.
DROP TRIGGER `planets_counted`;
--> statement-breakpoint
DROP TRIGGER `planets_uncounted`;
--> statement-breakpoint
DELETE FROM `planet_counts` WHERE `span` = 8;
--> statement-breakpoint
UPDATE `planet_counts` SET `present` = coalesce((
	SELECT sum(1 << (`id` % 64)) FROM `planets` WHERE `id` >= `bucket` * 64 AND `id` < (`bucket` + 1) * 64
), 0) WHERE `span` = 64;
--> statement-breakpoint
CREATE TRIGGER `planets_counted` AFTER INSERT ON `planets` BEGIN
	INSERT INTO `planet_counts` (`span`, `bucket`, `planets`, `present`)
	VALUES (64, new.`id` / 64, 1, 1 << (new.`id` % 64)), (512, new.`id` / 512, 1, 0), (4096, new.`id` / 4096, 1, 0), (32768, new.`id` / 32768, 1, 0)
	ON CONFLICT DO UPDATE SET `planets` = `planets` + 1, `present` = `present` | excluded.`present`;
END;
--> statement-breakpoint
CREATE TRIGGER `planets_uncounted` AFTER DELETE ON `planets` BEGIN
	UPDATE `planet_counts` SET `planets` = `planets` - 1, `present` = `present` & ~iif(`span` = 64, 1 << (old.`id` % 64), 0)
	WHERE (`span`, `bucket`) IN (VALUES (64, old.`id` / 64), (512, old.`id` / 512), (4096, old.`id` / 4096), (32768, old.`id` / 32768));
END;
--> statement-breakpoint
DROP TRIGGER `bodies_counted`;
--> statement-breakpoint
DROP TRIGGER `bodies_uncounted`;
--> statement-breakpoint
DELETE FROM `body_counts` WHERE `span` = 8;
--> statement-breakpoint
UPDATE `body_counts` SET `present` = coalesce((
	SELECT sum(1 << ((`id` - 1000000000) % 64)) FROM `bodies` WHERE `id` >= 1000000000 + `bucket` * 64 AND `id` < 1000000000 + (`bucket` + 1) * 64
), 0) WHERE `span` = 64;
--> statement-breakpoint
CREATE TRIGGER `bodies_counted` AFTER INSERT ON `bodies` BEGIN
	INSERT INTO `body_counts` (`span`, `bucket`, `bodies`, `present`)
	VALUES (64, (new.`id` - 1000000000) / 64, 1, 1 << ((new.`id` - 1000000000) % 64)), (512, (new.`id` - 1000000000) / 512, 1, 0), (4096, (new.`id` - 1000000000) / 4096, 1, 0), (32768, (new.`id` - 1000000000) / 32768, 1, 0)
	ON CONFLICT DO UPDATE SET `bodies` = `bodies` + 1, `present` = `present` | excluded.`present`;
END;
--> statement-breakpoint
CREATE TRIGGER `bodies_uncounted` AFTER DELETE ON `bodies` BEGIN
	UPDATE `body_counts` SET `bodies` = `bodies` - 1, `present` = `present` & ~iif(`span` = 64, 1 << ((old.`id` - 1000000000) % 64), 0)
	WHERE (`span`, `bucket`) IN (VALUES (64, (old.`id` - 1000000000) / 64), (512, (old.`id` - 1000000000) / 512), (4096, (old.`id` - 1000000000) / 4096), (32768, (old.`id` - 1000000000) / 32768));
END;
