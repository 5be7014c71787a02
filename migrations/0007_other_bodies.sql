-- What is no planet has ids above 1,000,000,000 (src/db/ranks.ts), so that an id says what it names. No planet gets there:
-- the database would be full long before.
INSERT INTO `bodies` (`id`, `planet_id`, `host_id`, `position`, `creator_id`, `last_updated`, `type`, `properties`, `extras`, `lists_satellites`)
SELECT `satellites`.`id` + 1000000000, `planets`.`id`, NULL, `position`, `creator_id`, `last_updated`,
	json_extract(`satellites`.`properties`, '$.type'), `satellites`.`properties`, NULL, false
FROM `satellites` JOIN `planets` ON `planets`.`id` = `satellites`.`planet_id`;
--> statement-breakpoint
INSERT INTO `sqlite_sequence` (`name`, `seq`) SELECT 'bodies', 1000000000 WHERE NOT EXISTS (SELECT 1 FROM `sqlite_sequence` WHERE `name` = 'bodies');
--> statement-breakpoint
UPDATE `sqlite_sequence` SET `seq` = max(ifnull(`seq`, 0), 1000000000) WHERE `name` = 'bodies';
--> statement-breakpoint
-- Every bucket up to the last id that was ever given, those that nothing is left in too: a walk over the counts ends at a gap.
INSERT INTO `body_counts` (`span`, `bucket`, `bodies`)
WITH RECURSIVE
	`spans`(`span`) AS (VALUES (8), (64), (512), (4096), (32768)),
	`buckets`(`span`, `bucket`) AS (
		SELECT `span`, 0 FROM `spans`
		UNION ALL
		SELECT `span`, `bucket` + 1 FROM `buckets`
		WHERE (`bucket` + 1) * `span` <= (SELECT `seq` - 1000000000 FROM `sqlite_sequence` WHERE `name` = 'bodies')
	)
SELECT `span`, `bucket`, (
	SELECT count(*) FROM `bodies`
	WHERE `id` >= 1000000000 + `bucket` * `span` AND `id` < 1000000000 + (`bucket` + 1) * `span`
) FROM `buckets`;
--> statement-breakpoint
CREATE TRIGGER `bodies_counted` AFTER INSERT ON `bodies` BEGIN
	INSERT INTO `body_counts` (`span`, `bucket`, `bodies`)
	VALUES (8, (new.`id` - 1000000000) / 8, 1), (64, (new.`id` - 1000000000) / 64, 1), (512, (new.`id` - 1000000000) / 512, 1), (4096, (new.`id` - 1000000000) / 4096, 1), (32768, (new.`id` - 1000000000) / 32768, 1)
	ON CONFLICT DO UPDATE SET `bodies` = `bodies` + 1;
END;
--> statement-breakpoint
CREATE TRIGGER `bodies_uncounted` AFTER DELETE ON `bodies` BEGIN
	UPDATE `body_counts` SET `bodies` = `bodies` - 1 WHERE (`span`, `bucket`) IN (
		VALUES (8, (old.`id` - 1000000000) / 8), (64, (old.`id` - 1000000000) / 64), (512, (old.`id` - 1000000000) / 512), (4096, (old.`id` - 1000000000) / 4096), (32768, (old.`id` - 1000000000) / 32768)
	);
END;
