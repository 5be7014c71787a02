-- Clients that nobody owns, but for the page of the API reference, which is no stranger's.
INSERT INTO `stranger_counts` (`kind`, `count`)
SELECT 'clients', count(*) FROM `clients` WHERE `owner_id` IS NULL AND `id` <> 'galaxy-reference';
--> statement-breakpoint
CREATE TRIGGER `clients_counted` AFTER INSERT ON `clients`
WHEN new.`owner_id` IS NULL AND new.`id` <> 'galaxy-reference' BEGIN
	INSERT INTO `stranger_counts` (`kind`, `count`) VALUES ('clients', 1)
	ON CONFLICT DO UPDATE SET `count` = `count` + 1;
END;
--> statement-breakpoint
CREATE TRIGGER `clients_uncounted` AFTER DELETE ON `clients`
WHEN old.`owner_id` IS NULL AND old.`id` <> 'galaxy-reference' BEGIN
	UPDATE `stranger_counts` SET `count` = `count` - 1 WHERE `kind` = 'clients';
END;
