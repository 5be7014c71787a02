-- The database: tables in the order of src/db/tables.ts, which explains their columns, then views and triggers by
-- subject, then the rows that every database has.

CREATE TABLE `users` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`email` text,
	`email_key` text,
	`name` text,
	`password_hash` text,
	`password_generation` integer DEFAULT 0 NOT NULL,
	`suspended_at` integer,
	`created_at` integer NOT NULL,
	`issuer` text,
	`subject` text,
	`renamed_at` integer,
	`deleted_at` integer,
	`bodies_used` integer DEFAULT 0 NOT NULL,
	`body_bytes_used` integer DEFAULT 0 NOT NULL,
	`images_used` integer DEFAULT 0 NOT NULL,
	`image_bytes_used` integer DEFAULT 0 NOT NULL,
	`deliveries_used` integer DEFAULT 0 NOT NULL
);
CREATE UNIQUE INDEX `users_email_key_unique` ON `users` (`email_key`);
CREATE UNIQUE INDEX `users_foreign` ON `users` (`issuer`,`subject`) WHERE "users"."issuer" is not null;
CREATE INDEX `users_suspended` ON `users` (`id`) WHERE "users"."suspended_at" is not null;
CREATE INDEX `users_deleted` ON `users` (`id`) WHERE "users"."deleted_at" is not null;

CREATE TABLE `api_keys` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`user_id` integer NOT NULL,
	`password_generation` integer NOT NULL,
	`made_by_key` integer,
	`made_by_grant` text,
	`depth` integer DEFAULT 0 NOT NULL,
	`hash` text NOT NULL,
	`preview` text NOT NULL,
	`name` text,
	`scopes` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer,
	`last_used_at` integer,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`made_by_key`) REFERENCES `api_keys`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`made_by_grant`) REFERENCES `grants`(`id`) ON UPDATE no action ON DELETE cascade
);
CREATE UNIQUE INDEX `api_keys_hash_unique` ON `api_keys` (`hash`);
CREATE INDEX `api_keys_user` ON `api_keys` (`user_id`,`id`);
CREATE INDEX `api_keys_expiry` ON `api_keys` (`expires_at`) WHERE "api_keys"."expires_at" is not null;
CREATE INDEX `api_keys_made_by_key` ON `api_keys` (`made_by_key`) WHERE "api_keys"."made_by_key" is not null;
CREATE INDEX `api_keys_made_by_grant` ON `api_keys` (`made_by_grant`) WHERE "api_keys"."made_by_grant" is not null;

CREATE TABLE `clients` (
	`id` text PRIMARY KEY NOT NULL,
	`owner_id` integer,
	`password_generation` integer,
	`made_by_key` integer,
	`made_by_grant` text,
	`depth` integer DEFAULT 0 NOT NULL,
	`expires_at` integer,
	`secret_hash` text,
	`metadata` text NOT NULL,
	`created_at` integer NOT NULL,
	`last_used_at` integer NOT NULL,
	`network` text,
	FOREIGN KEY (`owner_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`made_by_key`) REFERENCES `api_keys`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`made_by_grant`) REFERENCES `grants`(`id`) ON UPDATE no action ON DELETE cascade
);
CREATE INDEX `clients_network` ON `clients` (`network`) WHERE "clients"."network" is not null;
CREATE INDEX `clients_unused` ON `clients` (`created_at`) WHERE "clients"."owner_id" is null and "clients"."last_used_at" = "clients"."created_at";
CREATE INDEX `clients_owner` ON `clients` (`owner_id`,`created_at`) WHERE "clients"."owner_id" is not null;
CREATE INDEX `clients_idle` ON `clients` (`last_used_at`) WHERE "clients"."owner_id" is null;
CREATE INDEX `clients_expiry` ON `clients` (`expires_at`) WHERE "clients"."expires_at" is not null;
CREATE INDEX `clients_made_by_key` ON `clients` (`made_by_key`) WHERE "clients"."made_by_key" is not null;
CREATE INDEX `clients_made_by_grant` ON `clients` (`made_by_grant`) WHERE "clients"."made_by_grant" is not null;

CREATE TABLE `consents` (
	`user_id` integer NOT NULL,
	`client_id` text NOT NULL,
	`password_generation` integer NOT NULL,
	`scopes` text NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`user_id`, `client_id`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`client_id`) REFERENCES `clients`(`id`) ON UPDATE no action ON DELETE cascade
);
CREATE INDEX `consents_client` ON `consents` (`client_id`);

CREATE TABLE `grants` (
	`id` text PRIMARY KEY NOT NULL,
	`client_id` text NOT NULL,
	`user_id` integer NOT NULL,
	`password_generation` integer NOT NULL,
	`scopes` text NOT NULL,
	`authenticated_at` integer,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`ended_at` integer,
	`depth` integer DEFAULT 0 NOT NULL,
	FOREIGN KEY (`client_id`) REFERENCES `clients`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
);
CREATE INDEX `grants_expiry` ON `grants` (`expires_at`);
CREATE INDEX `grants_client` ON `grants` (`client_id`);
CREATE INDEX `grants_user` ON `grants` (`user_id`,`created_at`);

CREATE TABLE `codes` (
	`hash` text PRIMARY KEY NOT NULL,
	`grant_id` text NOT NULL,
	`expires_at` integer NOT NULL,
	`used_at` integer,
	`redirect_uri` text,
	`challenge` text NOT NULL,
	`nonce` text,
	FOREIGN KEY (`grant_id`) REFERENCES `grants`(`id`) ON UPDATE no action ON DELETE cascade
);
CREATE INDEX `codes_grant` ON `codes` (`grant_id`);

CREATE TABLE `refresh_tokens` (
	`hash` text PRIMARY KEY NOT NULL,
	`grant_id` text NOT NULL,
	`expires_at` integer NOT NULL,
	`used_at` integer,
	FOREIGN KEY (`grant_id`) REFERENCES `grants`(`id`) ON UPDATE no action ON DELETE cascade
);
CREATE INDEX `refresh_tokens_grant` ON `refresh_tokens` (`grant_id`);
CREATE INDEX `refresh_tokens_expiry` ON `refresh_tokens` (`expires_at`);

-- drizzle-kit does not know WITHOUT ROWID, and does not write it if a later migration replaces this table.
-- test/worker/costs.test.ts notices if it is lost.
CREATE TABLE `sign_ins` (
	`hash` text PRIMARY KEY NOT NULL,
	`user_id` integer NOT NULL,
	`password_generation` integer NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
) WITHOUT ROWID;
CREATE INDEX `sign_ins_expiry` ON `sign_ins` (`expires_at`);
CREATE INDEX `sign_ins_user` ON `sign_ins` (`user_id`);

CREATE TABLE `used_assertions` (
	`hash` text PRIMARY KEY NOT NULL,
	`expires_at` integer NOT NULL
);
CREATE INDEX `used_assertions_expiry` ON `used_assertions` (`expires_at`);

CREATE TABLE `planets` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`creator_id` integer NOT NULL,
	`version` integer DEFAULT 1 NOT NULL,
	`last_updated` integer NOT NULL,
	`properties` text NOT NULL,
	`lists_satellites` integer NOT NULL,
	`image_key` text,
	`extras` text,
	`satellite_bytes` integer DEFAULT 0 NOT NULL,
	`bytes` integer GENERATED ALWAYS AS ((octet_length("properties") + coalesce(octet_length("extras"), 0) + "satellite_bytes")) VIRTUAL NOT NULL,
	FOREIGN KEY (`creator_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
);
CREATE INDEX `planets_type` ON `planets` ("properties" ->> '$.type',`id`);
CREATE INDEX `planets_creator` ON `planets` (`creator_id`);

CREATE TABLE `bodies` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`planet_id` integer,
	`host_id` integer,
	`position` integer NOT NULL,
	`creator_id` integer NOT NULL,
	`last_updated` integer NOT NULL,
	`type` text,
	`properties` text NOT NULL,
	`extras` text,
	`lists_satellites` integer NOT NULL,
	`satellite_bytes` integer DEFAULT 0 NOT NULL,
	`bytes` integer GENERATED ALWAYS AS ((octet_length("properties") + coalesce(octet_length("extras"), 0) + "satellite_bytes")) VIRTUAL NOT NULL,
	FOREIGN KEY (`planet_id`) REFERENCES `planets`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`host_id`) REFERENCES `bodies`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`creator_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
);
CREATE INDEX `bodies_planet` ON `bodies` (`planet_id`,`position`) WHERE "bodies"."planet_id" is not null;
CREATE INDEX `bodies_host` ON `bodies` (`host_id`,`position`) WHERE "bodies"."host_id" is not null;
CREATE INDEX `bodies_type` ON `bodies` (`type`,`id`);
CREATE INDEX `bodies_free` ON `bodies` (`creator_id`) WHERE "bodies"."planet_id" is null and "bodies"."host_id" is null;

CREATE TABLE `images` (
	`key` text PRIMARY KEY NOT NULL,
	`mime_type` text NOT NULL,
	`file_size` integer NOT NULL,
	`uploaded_at` integer NOT NULL,
	`orphaned_at` integer,
	`url` text NOT NULL
);
CREATE INDEX `images_orphaned` ON `images` (`orphaned_at`) WHERE "images"."orphaned_at" is not null;

CREATE TABLE `retention_positions` (
	`kind` text PRIMARY KEY NOT NULL,
	`owner_id` integer NOT NULL,
	`id` integer NOT NULL
);

CREATE TABLE `signing_secrets` (
	`user_id` integer PRIMARY KEY NOT NULL,
	`secret` text NOT NULL,
	`created_at` integer NOT NULL,
	`previous` text,
	`previous_ends_at` integer,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);

CREATE TABLE `webhooks` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`user_id` integer NOT NULL,
	`url` text NOT NULL,
	`events` text NOT NULL,
	`status` text NOT NULL,
	`origin` text NOT NULL,
	`secret` text NOT NULL,
	`auth_scheme` text,
	`auth` text,
	`created_at` integer NOT NULL,
	`active_since` integer NOT NULL,
	`failures` integer DEFAULT 0 NOT NULL,
	`failing_since` integer,
	`canonical_url` text NOT NULL,
	`host` text NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
CREATE INDEX `webhooks_user` ON `webhooks` (`user_id`,`id`);
CREATE INDEX `webhooks_active` ON `webhooks` (`id`) WHERE "webhooks"."status" = 'active';

CREATE TABLE `log` (
	`place` integer PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`user_id` integer,
	`planet_id` integer,
	`event_count` integer NOT NULL,
	`created_at` integer NOT NULL,
	`salt` text NOT NULL,
	`bytes_until` integer NOT NULL,
	`public_until` integer NOT NULL,
	`private_until` integer NOT NULL,
	`body` text NOT NULL,
	`details` text NOT NULL
);
CREATE INDEX `log_of_user` ON `log` (`user_id`,`place`) WHERE "log"."user_id" is not null;
CREATE INDEX `log_salt` ON `log` (`salt`);

CREATE TABLE `events` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`type` text NOT NULL,
	`planet_id` integer,
	`body` text NOT NULL,
	`created_at` integer NOT NULL,
	`expanded_to` integer,
	`live_id` text
);
CREATE INDEX `events_to_expand` ON `events` (`id`) WHERE "events"."expanded_to" is not null;
CREATE INDEX `events_age` ON `events` (`created_at`);

CREATE TABLE `deliveries` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`event_id` integer NOT NULL,
	`event` text NOT NULL,
	`planet_id` integer,
	`message_id` text NOT NULL,
	`user_id` integer NOT NULL,
	`webhook_id` integer,
	`url` text NOT NULL,
	`origin` text NOT NULL,
	`status` text NOT NULL,
	`created_at` integer NOT NULL,
	`next_attempt_at` integer,
	`leased_until` integer,
	`retries` integer DEFAULT 0 NOT NULL,
	`ended_at` integer,
	`host` text NOT NULL,
	`waiting_for` text,
	`waiting_since` integer,
	FOREIGN KEY (`event_id`) REFERENCES `events`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
CREATE UNIQUE INDEX `deliveries_message_id_unique` ON `deliveries` (`message_id`);
CREATE INDEX `deliveries_user` ON `deliveries` (`user_id`,`id`);
CREATE INDEX `deliveries_planet` ON `deliveries` (`planet_id`,`user_id`,`id`) WHERE "deliveries"."planet_id" is not null;
CREATE INDEX `deliveries_due` ON `deliveries` (`next_attempt_at`) WHERE "deliveries"."status" = 'pending';
CREATE UNIQUE INDEX `deliveries_expanded` ON `deliveries` (`event_id`,`webhook_id`);
CREATE INDEX `deliveries_webhook` ON `deliveries` (`webhook_id`) WHERE "deliveries"."status" = 'pending';
CREATE INDEX `deliveries_ended` ON `deliveries` (`ended_at`) WHERE "deliveries"."ended_at" is not null;
CREATE INDEX `deliveries_waiting` ON `deliveries` (`waiting_for`,`waiting_since`,`id`) WHERE "deliveries"."waiting_for" is not null and "deliveries"."status" = 'pending';

CREATE TABLE `call_targets` (
	`host` text PRIMARY KEY NOT NULL,
	`window_start` integer NOT NULL,
	`calls` integer NOT NULL,
	`leases` text NOT NULL,
	`accepted_at` integer,
	`kept_until` integer NOT NULL
);
CREATE INDEX `call_targets_kept` ON `call_targets` (`kept_until`);

CREATE TABLE `attempts` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`delivery_id` integer NOT NULL,
	`started_at` integer NOT NULL,
	`duration_ms` integer NOT NULL,
	`status` integer,
	`error` text,
	`response` text,
	FOREIGN KEY (`delivery_id`) REFERENCES `deliveries`(`id`) ON UPDATE no action ON DELETE cascade
);
CREATE INDEX `attempts_delivery` ON `attempts` (`delivery_id`,`id`);

CREATE TABLE `refused_callbacks` (
	`planet_id` integer NOT NULL,
	`url` text NOT NULL,
	`ended_at` integer,
	PRIMARY KEY(`planet_id`, `url`)
);
CREATE INDEX `refused_callbacks_ended` ON `refused_callbacks` (`ended_at`) WHERE "refused_callbacks"."ended_at" is not null;

CREATE TABLE `dead_letters` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`message_id` text NOT NULL,
	`body` text NOT NULL,
	`attempts` integer NOT NULL,
	`created_at` integer NOT NULL
);
CREATE UNIQUE INDEX `dead_letters_message_id_unique` ON `dead_letters` (`message_id`);
CREATE INDEX `dead_letters_age` ON `dead_letters` (`created_at`);

CREATE TABLE `inboxes` (
	`id` text PRIMARY KEY NOT NULL,
	`status` integer NOT NULL,
	`body` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`network` text NOT NULL,
	`last_used_at` integer NOT NULL
);
CREATE INDEX `inboxes_expiry` ON `inboxes` (`expires_at`);
CREATE INDEX `inboxes_network` ON `inboxes` (`network`,`last_used_at`);

CREATE TABLE `inbox_requests` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`inbox_id` text NOT NULL,
	`received_at` integer NOT NULL,
	`request` text NOT NULL,
	FOREIGN KEY (`inbox_id`) REFERENCES `inboxes`(`id`) ON UPDATE no action ON DELETE cascade
);
CREATE INDEX `inbox_requests_inbox` ON `inbox_requests` (`inbox_id`,`id`);

CREATE TABLE `rate_limits` (
	`key` text PRIMARY KEY NOT NULL,
	`attempts` integer NOT NULL,
	`resets_at` integer NOT NULL
);
CREATE INDEX `rate_limits_reset` ON `rate_limits` (`resets_at`);

CREATE TABLE `planet_counts` (
	`span` integer NOT NULL,
	`bucket` integer NOT NULL,
	`planets` integer NOT NULL,
	`present` integer DEFAULT 0 NOT NULL,
	PRIMARY KEY(`span`, `bucket`)
);

CREATE TABLE `body_counts` (
	`span` integer NOT NULL,
	`bucket` integer NOT NULL,
	`bodies` integer NOT NULL,
	`present` integer DEFAULT 0 NOT NULL,
	PRIMARY KEY(`span`, `bucket`)
);

CREATE TABLE `stranger_counts` (
	`kind` text PRIMARY KEY NOT NULL,
	`count` integer NOT NULL
);

CREATE TABLE `universes` (
	`id` text PRIMARY KEY NOT NULL,
	`seed` text NOT NULL,
	`created_at` integer NOT NULL,
	`made_at` integer,
	`ended_at` integer,
	`due_at` integer NOT NULL
);
CREATE INDEX `universes_due` ON `universes` (`due_at`);

CREATE TABLE `kept_replies` (
	`user_id` integer NOT NULL,
	`key` text NOT NULL,
	`fingerprint` text NOT NULL,
	`claim` text,
	`created_at` integer NOT NULL,
	`reply` text,
	`maker` text NOT NULL,
	PRIMARY KEY(`user_id`, `key`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade,
	CONSTRAINT "kept_replies_claimed" CHECK("kept_replies"."claim" is null or "kept_replies"."reply" is null)
);
CREATE INDEX `kept_replies_age` ON `kept_replies` (`created_at`);

-- Changes

-- What must hold when a batch runs (src/changes/requirements.ts). If it does not, the whole batch is undone.
CREATE VIEW `requirements` AS SELECT 0 AS `position`, false AS `holds` WHERE false;
CREATE TRIGGER `requirements_checked` INSTEAD OF INSERT ON `requirements` WHEN new.`holds` IS NOT TRUE BEGIN
	SELECT RAISE(ABORT, 'requirement not met: ' || new.`position`);
END;

-- Planets

-- An image is an orphan from the moment no planet shows it, whichever statement took it away.
CREATE TRIGGER `images_replaced` AFTER UPDATE OF `image_key` ON `planets` WHEN old.`image_key` IS NOT new.`image_key` BEGIN
	UPDATE `images` SET `orphaned_at` = unixepoch() * 1000 WHERE `key` = old.`image_key`;
	UPDATE `images` SET `orphaned_at` = NULL WHERE `key` = new.`image_key`;
END;

-- The image of a deleted account is due for removal at once. Any other is kept for an hour, in case its upload is under way.
CREATE TRIGGER `images_left` AFTER DELETE ON `planets` WHEN old.`image_key` IS NOT NULL BEGIN
	UPDATE `images` SET `orphaned_at` = iif(
		EXISTS (SELECT 1 FROM `users` WHERE `id` = old.`creator_id` AND `deleted_at` IS NOT NULL), 0, unixepoch() * 1000
	) WHERE `key` = old.`image_key`;
END;

-- Callbacks

-- What is still to be sent to a subscription is not sent once it is stopped, whichever statement stops it.
CREATE TRIGGER `webhooks_stopped` AFTER UPDATE OF `status` ON `webhooks` WHEN new.`status` <> old.`status` AND new.`status` <> 'active' BEGIN
	UPDATE `deliveries` SET `status` = 'cancelled', `next_attempt_at` = NULL, `ended_at` = unixepoch('subsec') * 1000
	WHERE `webhook_id` = new.`id` AND `status` = 'pending';
END;
CREATE TRIGGER `webhooks_ended` AFTER DELETE ON `webhooks` BEGIN
	UPDATE `deliveries` SET `status` = 'cancelled', `next_attempt_at` = NULL, `ended_at` = unixepoch('subsec') * 1000
	WHERE `webhook_id` = old.`id` AND `status` = 'pending';
END;

-- What is still to be sent goes where the subscription has moved to, and counts to the host there.
CREATE TRIGGER `webhooks_moved` AFTER UPDATE OF `url` ON `webhooks` WHEN old.`url` <> new.`url` BEGIN
	UPDATE `deliveries` SET `url` = new.`url`, `origin` = new.`origin`, `host` = new.`host`
	WHERE `webhook_id` = new.`id` AND `status` = 'pending';
	-- What waits for its turn at the host of before is due at the new one.
	UPDATE `deliveries` SET `waiting_for` = NULL, `next_attempt_at` = `waiting_since`
	WHERE `webhook_id` = new.`id` AND `status` = 'pending' AND `waiting_for` IS NOT NULL AND old.`host` IS NOT new.`host`;
END;

-- A receiver that wants to hear no more of a planet is not sent what is on its way to it either.
CREATE TRIGGER `callbacks_refused` AFTER INSERT ON `refused_callbacks` BEGIN
	UPDATE `deliveries` SET `status` = 'cancelled', `next_attempt_at` = NULL, `ended_at` = unixepoch('subsec') * 1000
	WHERE `planet_id` = new.`planet_id` AND `webhook_id` IS NULL AND `url` = new.`url` AND `status` = 'pending';
END;

-- The wish is kept for as long as the log of the planet may be.
CREATE TRIGGER `refusals_ended` AFTER DELETE ON `planets` BEGIN
	UPDATE `refused_callbacks` SET `ended_at` = unixepoch() * 1000 WHERE `planet_id` = old.`id`;
END;

-- An event goes with the last delivery of it, unless there are subscribers that it still has to be sent to.
CREATE TRIGGER `events_left` AFTER DELETE ON `deliveries` WHEN NOT EXISTS (SELECT 1 FROM `deliveries` WHERE `event_id` = old.`event_id`) BEGIN
	DELETE FROM `events` WHERE `id` = old.`event_id` AND `expanded_to` IS NULL;
END;

-- An event whose expansion ends without a delivery is for nobody: no subscriber of it had room for it. It goes at once,
-- because its body is charged to no account.
CREATE TRIGGER `events_unwanted` AFTER UPDATE OF `expanded_to` ON `events`
WHEN new.`expanded_to` IS NULL AND NOT EXISTS (SELECT 1 FROM `deliveries` WHERE `event_id` = new.`id`) BEGIN
	DELETE FROM `events` WHERE `id` = new.`id`;
END;

-- An attempt that ends after its delivery was removed has no log to be written to.
CREATE TRIGGER `attempts_late` BEFORE INSERT ON `attempts` WHEN NOT EXISTS (SELECT 1 FROM `deliveries` WHERE `id` = new.`delivery_id`) BEGIN
	SELECT RAISE(IGNORE);
END;

-- Credentials

-- Every batch that writes for a caller first inserts a row here (src/stores/account-states.ts). No row is ever stored:
-- the insertion fails, and the whole batch with it, if the credential of the caller has ended since the request began.
CREATE VIEW `credential_checks` AS
SELECT NULL AS `user_id`, NULL AS `password_generation`, NULL AS `key_id`, NULL AS `grant_id`, NULL AS `time`;

-- A key or a grant that is still there says by that which password it belongs to: see `passwords_changed`. The index has
-- suspended users only, so to find nobody in it reads no row.
CREATE TRIGGER `credentials_alive` INSTEAD OF INSERT ON `credential_checks` WHEN CASE
	WHEN new.`key_id` IS NULL AND new.`grant_id` IS NULL THEN NOT EXISTS (
		SELECT 1 FROM `users`
		WHERE `id` = new.`user_id` AND `password_generation` = new.`password_generation` AND `suspended_at` IS NULL)
	WHEN EXISTS (
		SELECT 1 FROM `users` INDEXED BY `users_suspended` WHERE `id` = new.`user_id` AND `suspended_at` IS NOT NULL) THEN 1
	WHEN new.`key_id` IS NOT NULL THEN NOT EXISTS (
		SELECT 1 FROM `api_keys` WHERE `id` = new.`key_id` AND (`expires_at` IS NULL OR `expires_at` > new.`time`))
	ELSE NOT EXISTS (
		SELECT 1 FROM `grants` WHERE `id` = new.`grant_id` AND `ended_at` IS NULL AND `expires_at` > new.`time`)
END
BEGIN
	SELECT RAISE(ABORT, 'credential ended');
END;

-- What a grant has made ends with it, whichever statement ends it. A key or a client that is deleted takes along what it
-- has made by its foreign keys.
CREATE TRIGGER `grants_ended` AFTER UPDATE OF `ended_at` ON `grants` WHEN old.`ended_at` IS NULL AND new.`ended_at` IS NOT NULL BEGIN
	DELETE FROM `api_keys` WHERE `made_by_grant` = new.`id`;
	DELETE FROM `clients` WHERE `made_by_grant` = new.`id`;
END;

-- Whatever was made under a password ends with it, whichever statement changes it.
CREATE TRIGGER `passwords_changed` AFTER UPDATE OF `password_generation` ON `users` WHEN new.`password_generation` <> old.`password_generation` BEGIN
	DELETE FROM `api_keys` WHERE `user_id` = new.`id`;
	UPDATE `grants` SET `ended_at` = unixepoch('subsec') * 1000 WHERE `user_id` = new.`id` AND `ended_at` IS NULL;
	DELETE FROM `consents` WHERE `user_id` = new.`id`;
	DELETE FROM `sign_ins` WHERE `user_id` = new.`id`;
END;

-- Chains of credentials that create one another are short: D1 refuses a statement that sets off more than some ten triggers
-- and foreign keys in a row, and then nothing in a long chain could be ended any more (src/auth/credential-chain.ts).
CREATE TRIGGER `api_keys_deep` BEFORE INSERT ON `api_keys` WHEN new.`depth` > 2
	OR new.`depth` <= (SELECT `depth` FROM `api_keys` WHERE `id` = new.`made_by_key`)
	OR new.`depth` <= (SELECT `depth` FROM `grants` WHERE `id` = new.`made_by_grant`)
BEGIN
	SELECT RAISE(ABORT, 'credential chain too long');
END;
CREATE TRIGGER `clients_deep` BEFORE INSERT ON `clients` WHEN new.`depth` > 2
	OR new.`depth` <= (SELECT `depth` FROM `api_keys` WHERE `id` = new.`made_by_key`)
	OR new.`depth` <= (SELECT `depth` FROM `grants` WHERE `id` = new.`made_by_grant`)
BEGIN
	SELECT RAISE(ABORT, 'credential chain too long');
END;
CREATE TRIGGER `grants_deep` BEFORE INSERT ON `grants` WHEN new.`depth` <> (SELECT `depth` FROM `clients` WHERE `id` = new.`client_id`) BEGIN
	SELECT RAISE(ABORT, 'credential chain too long');
END;

-- A grant is made after its user was asked. If the password has changed in between, or the account or the owner of the
-- client was suspended, there is nothing left to grant.
CREATE TRIGGER `grants_alive` BEFORE INSERT ON `grants` WHEN NOT EXISTS (
	SELECT 1 FROM `users`
	WHERE `id` = new.`user_id` AND `password_generation` = new.`password_generation` AND `suspended_at` IS NULL
) OR EXISTS (
	SELECT 1 FROM `clients` JOIN `users` ON `users`.`id` = `clients`.`owner_id`
	WHERE `clients`.`id` = new.`client_id` AND `users`.`suspended_at` IS NOT NULL
) BEGIN
	SELECT RAISE(ABORT, 'credential ended');
END;

-- Users allowed a client with this name and these addresses: they are asked again if it gets others, whichever statement changes it.
CREATE TRIGGER `clients_changed` AFTER UPDATE OF `metadata` ON `clients`
WHEN new.`metadata` ->> '$.redirect_uris' IS NOT old.`metadata` ->> '$.redirect_uris'
	OR new.`metadata` ->> '$.client_name' IS NOT old.`metadata` ->> '$.client_name' BEGIN
	DELETE FROM `consents` WHERE `client_id` = new.`id`;
END;

-- Nobody is signed in, and nothing is refreshed, for a user or under a grant that went while the request was under way.
CREATE TRIGGER `sign_ins_late` BEFORE INSERT ON `sign_ins` WHEN NOT EXISTS (SELECT 1 FROM `users` WHERE `id` = new.`user_id`) BEGIN
	SELECT RAISE(IGNORE);
END;
CREATE TRIGGER `refresh_tokens_late` BEFORE INSERT ON `refresh_tokens` WHEN NOT EXISTS (SELECT 1 FROM `grants` WHERE `id` = new.`grant_id`) BEGIN
	SELECT RAISE(IGNORE);
END;

-- Clients that nobody owns are counted, but for the page of the API reference, which is no stranger's.
CREATE TRIGGER `clients_counted` AFTER INSERT ON `clients`
WHEN new.`owner_id` IS NULL AND new.`id` <> 'galaxy-reference' BEGIN
	INSERT INTO `stranger_counts` (`kind`, `count`) VALUES ('clients', 1)
	ON CONFLICT DO UPDATE SET `count` = `count` + 1;
END;
CREATE TRIGGER `clients_uncounted` AFTER DELETE ON `clients`
WHEN old.`owner_id` IS NULL AND old.`id` <> 'galaxy-reference' BEGIN
	UPDATE `stranger_counts` SET `count` = `count` - 1 WHERE `kind` = 'clients';
END;

-- Accounts

-- How an account is deleted (src/stores/removed-accounts.ts): `deleted_at` is set, and from that moment the account has no
-- e-mail, no name, no password and no credential. What it owns is removed in steps. The row goes last.
CREATE TRIGGER `users_kept` BEFORE UPDATE OF `deleted_at` ON `users` WHEN old.`id` = 1 AND new.`deleted_at` IS NOT NULL BEGIN
	SELECT RAISE(ABORT, 'user 1 owns the shipped planets');
END;
CREATE TRIGGER `users_deleted` AFTER UPDATE OF `deleted_at` ON `users` WHEN old.`deleted_at` IS NULL AND new.`deleted_at` IS NOT NULL BEGIN
	UPDATE `users` SET
		`email` = NULL, `email_key` = NULL, `name` = NULL, `password_hash` = NULL, `issuer` = NULL, `subject` = NULL,
		`password_generation` = `password_generation` + 1,
		`suspended_at` = coalesce(`suspended_at`, new.`deleted_at`),
		`renamed_at` = max(coalesce(`renamed_at`, 0) + 1, (new.`deleted_at` / 1000 + 1) * 1000)
	WHERE `id` = new.`id`;
	-- Other users' tokens of these clients end now as well.
	DELETE FROM `clients` WHERE `owner_id` = new.`id`;
	DELETE FROM `rate_limits` WHERE `key` = 'password/email/' || old.`email_key`;
	-- '0' is the character after '/'.
	DELETE FROM `rate_limits` WHERE `key` > 'password/known/' || old.`email_key` || '/' AND `key` < 'password/known/' || old.`email_key` || '0';
	-- For a day a token that a provider issued before this makes no new account (src/stores/users.ts).
	INSERT INTO `rate_limits` (`key`, `attempts`, `resets_at`)
	SELECT 'deleted/' || old.`issuer` || ' ' || old.`subject`, 0, new.`deleted_at` + 86400000 WHERE old.`issuer` IS NOT NULL
	ON CONFLICT DO UPDATE SET `resets_at` = excluded.`resets_at`;
END;

-- A row of users takes along whatever refers to it. Tables whose foreign key has ON DELETE CASCADE need no line here.
CREATE TRIGGER `users_left` BEFORE DELETE ON `users` BEGIN
	DELETE FROM `planets` WHERE `creator_id` = old.`id`;
	DELETE FROM `bodies` WHERE `creator_id` = old.`id`;
	DELETE FROM `clients` WHERE `owner_id` = old.`id`;
	DELETE FROM `grants` WHERE `user_id` = old.`id`;
	DELETE FROM `api_keys` WHERE `user_id` = old.`id`;
	DELETE FROM `sign_ins` WHERE `user_id` = old.`id`;
END;

-- If the owner of a client is suspended, what other users have allowed the client ends, and with it what the client has
-- created for them (trigger `grants_ended`). A deleted account loses its clients altogether (trigger `users_deleted`).
CREATE TRIGGER `owners_suspended` AFTER UPDATE OF `suspended_at` ON `users`
WHEN old.`suspended_at` IS NULL AND new.`suspended_at` IS NOT NULL AND new.`deleted_at` IS NULL BEGIN
	UPDATE `grants` SET `ended_at` = unixepoch('subsec') * 1000
	WHERE `client_id` IN (SELECT `id` FROM `clients` WHERE `owner_id` = new.`id`) AND `user_id` <> new.`id` AND `ended_at` IS NULL;
END;

-- The usage of an account

-- What is to be added to an account, and what it may hold (src/changes/usage.ts). Where it would hold more, the whole batch
-- is undone. A row that is not charged is only checked: then a trigger below charges for what is written.
CREATE VIEW `account_charges` AS
SELECT `id` AS `user_id`, 0 AS `bodies`, 0 AS `body_bytes`, 0 AS `images`, 0 AS `image_bytes`, 0 AS `deliveries`,
	0 AS `bodies_max`, 0 AS `body_bytes_max`, 0 AS `images_max`, 0 AS `image_bytes_max`, 0 AS `deliveries_max`, false AS `is_charged`
FROM `users` WHERE false;
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
CREATE TRIGGER `bodies_removed` AFTER DELETE ON `bodies` WHEN old.`planet_id` IS NULL AND old.`host_id` IS NULL BEGIN
	UPDATE `users` SET `bodies_used` = `bodies_used` - 1, `body_bytes_used` = `body_bytes_used` - old.`bytes`
	WHERE `id` = old.`creator_id`;
END;
CREATE TRIGGER `deliveries_removed` AFTER DELETE ON `deliveries` BEGIN
	UPDATE `users` SET `deliveries_used` = `deliveries_used` - 1 WHERE `id` = old.`user_id`;
END;

-- The counts of ids

-- Ids are counted in spans of 64, 512, 4,096 and 32,768 (src/db/ranks.ts). The narrowest say which ids there are.
CREATE TRIGGER `planets_counted` AFTER INSERT ON `planets` BEGIN
	INSERT INTO `planet_counts` (`span`, `bucket`, `planets`, `present`)
	VALUES (64, new.`id` / 64, 1, 1 << (new.`id` % 64)), (512, new.`id` / 512, 1, 0), (4096, new.`id` / 4096, 1, 0), (32768, new.`id` / 32768, 1, 0)
	ON CONFLICT DO UPDATE SET `planets` = `planets` + 1, `present` = `present` | excluded.`present`;
END;
CREATE TRIGGER `planets_uncounted` AFTER DELETE ON `planets` BEGIN
	UPDATE `planet_counts` SET `planets` = `planets` - 1, `present` = `present` & ~iif(`span` = 64, 1 << (old.`id` % 64), 0)
	WHERE (`span`, `bucket`) IN (VALUES (64, old.`id` / 64), (512, old.`id` / 512), (4096, old.`id` / 4096), (32768, old.`id` / 32768));
END;

-- The ids of other celestial bodies are counted from 1,000,000,000.
CREATE TRIGGER `bodies_counted` AFTER INSERT ON `bodies` BEGIN
	INSERT INTO `body_counts` (`span`, `bucket`, `bodies`, `present`)
	VALUES (64, (new.`id` - 1000000000) / 64, 1, 1 << ((new.`id` - 1000000000) % 64)), (512, (new.`id` - 1000000000) / 512, 1, 0), (4096, (new.`id` - 1000000000) / 4096, 1, 0), (32768, (new.`id` - 1000000000) / 32768, 1, 0)
	ON CONFLICT DO UPDATE SET `bodies` = `bodies` + 1, `present` = `present` | excluded.`present`;
END;
CREATE TRIGGER `bodies_uncounted` AFTER DELETE ON `bodies` BEGIN
	UPDATE `body_counts` SET `bodies` = `bodies` - 1, `present` = `present` & ~iif(`span` = 64, 1 << ((old.`id` - 1000000000) % 64), 0)
	WHERE (`span`, `bucket`) IN (VALUES (64, (old.`id` - 1000000000) / 64), (512, (old.`id` - 1000000000) / 512), (4096, (old.`id` - 1000000000) / 4096), (32768, (old.`id` - 1000000000) / 32768));
END;

-- The log

-- The sockets that were opened with a credential close soon after it ends, whichever statement ends it. So the end is in
-- the log, as a row without events (src/events/happening.ts). If all credentials of a user end, one row says so.
CREATE VIEW `credential_endings` AS SELECT NULL AS `user_id`, NULL AS `body` WHERE false;
CREATE TRIGGER `credential_endings_logged` INSTEAD OF INSERT ON `credential_endings` BEGIN
	INSERT INTO `log` (`kind`, `user_id`, `event_count`, `created_at`, `salt`,
		`bytes_until`, `public_until`, `private_until`, `body`, `details`)
	SELECT 'credential_ended', new.`user_id`, 0, unixepoch('subsec') * 1000, '',
		coalesce((SELECT `bytes_until` FROM `log` ORDER BY `place` DESC LIMIT 1), 0),
		coalesce((SELECT `public_until` FROM `log` ORDER BY `place` DESC LIMIT 1), 0),
		coalesce((SELECT `private_until` FROM `log` WHERE `user_id` = new.`user_id` ORDER BY `place` DESC LIMIT 1), 0),
		new.`body`, '{}';
END;
CREATE TRIGGER `users_credentials_ended` AFTER UPDATE OF `password_generation`, `suspended_at`, `deleted_at` ON `users`
WHEN new.`password_generation` <> old.`password_generation`
	OR (new.`suspended_at` IS NOT NULL AND old.`suspended_at` IS NULL)
	OR (new.`deleted_at` IS NOT NULL AND old.`deleted_at` IS NULL)
BEGIN
	INSERT INTO `credential_endings` VALUES (new.`id`, json_object('userId', new.`id`));
END;
CREATE TRIGGER `api_keys_credential_ended` AFTER DELETE ON `api_keys` WHEN EXISTS (
	SELECT 1 FROM `users`
	WHERE `id` = old.`user_id` AND `password_generation` = old.`password_generation` AND `deleted_at` IS NULL
) BEGIN
	INSERT INTO `credential_endings` VALUES (old.`user_id`, json_object('userId', old.`user_id`, 'keyId', old.`id`));
END;
CREATE TRIGGER `grants_credential_ended` AFTER UPDATE OF `ended_at` ON `grants`
WHEN old.`ended_at` IS NULL AND new.`ended_at` IS NOT NULL AND EXISTS (
	SELECT 1 FROM `users`
	WHERE `id` = new.`user_id` AND `password_generation` = new.`password_generation` AND `deleted_at` IS NULL
) BEGIN
	INSERT INTO `credential_endings` VALUES (new.`user_id`, json_object('userId', new.`user_id`, 'grantId', new.`id`));
END;

-- A grant also ends with its client, which takes it along.
CREATE TRIGGER `grants_credential_left` AFTER DELETE ON `grants` WHEN old.`ended_at` IS NULL AND EXISTS (
	SELECT 1 FROM `users`
	WHERE `id` = old.`user_id` AND `password_generation` = old.`password_generation` AND `deleted_at` IS NULL
) BEGIN
	INSERT INTO `credential_endings` VALUES (old.`user_id`, json_object('userId', old.`user_id`, 'grantId', old.`id`));
END;

-- The rows of every database

-- What is no planet has ids above 1,000,000,000 (src/db/ranks.ts), so that an id says what it names. No planet gets there:
-- the database would be full long before. User 1 owns the shipped planets. Nobody else can get this id, even if somebody
-- signs up before the planets are loaded.
INSERT INTO `sqlite_sequence` (`name`, `seq`) VALUES
	('users', 1), ('planets', 0), ('bodies', 1000000000), ('api_keys', 0), ('webhooks', 0);
INSERT INTO `body_counts` (`span`, `bucket`, `bodies`) VALUES (64, 0, 0), (512, 0, 0), (4096, 0, 0), (32768, 0, 0);
INSERT INTO `stranger_counts` (`kind`, `count`) VALUES ('clients', 0);

-- The page of the API reference is a client like others, but nobody has to register it. Its redirect URI is a path, on
-- whatever origin the service has. The page lets its reader try everything, so the client can have all scopes.
INSERT INTO `clients` (`id`, `metadata`, `created_at`, `last_used_at`) VALUES (
	'galaxy-reference',
	json_object(
		'client_name', 'Galaxy API reference',
		'redirect_uris', json_array('/docs/oauth2-redirect'),
		'token_endpoint_auth_method', 'none',
		'grant_types', json_array('authorization_code', 'refresh_token', 'implicit', 'password'),
		'response_types', json_array('code', 'token'),
		'scope', 'read:account write:account read:planets write:planets read:events read:user:events write:events openid profile email offline_access',
		'post_logout_redirect_uris', json_array()
	),
	unixepoch() * 1000,
	unixepoch() * 1000
);
