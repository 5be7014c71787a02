-- Users allowed a client with this name and these addresses: they are asked again if it gets others, whichever statement changes it.
CREATE TRIGGER `clients_changed` AFTER UPDATE OF `metadata` ON `clients`
WHEN new.`metadata` ->> '$.redirect_uris' IS NOT old.`metadata` ->> '$.redirect_uris'
	OR new.`metadata` ->> '$.client_name' IS NOT old.`metadata` ->> '$.client_name' BEGIN
	DELETE FROM `consents` WHERE `client_id` = new.`id`;
END;
