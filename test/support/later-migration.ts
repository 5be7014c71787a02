/** The name of a migration that comes after all those of the project. */
export const LATER_NAME = '9999_later'

/**
 * What migrations do: it adds a column and fills it, adds a table with rows that come from others, replaces a table that
 * a trigger belongs to and that others refer to, and replaces a trigger.
 */
export const LATER_SQL = `
ALTER TABLE \`planets\` ADD \`discoverer\` text;
UPDATE \`planets\` SET \`discoverer\` = (SELECT \`name\` FROM \`users\` WHERE \`users\`.\`id\` = \`planets\`.\`creator_id\`);
CREATE TABLE \`badges\` (
	\`id\` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	\`user_id\` integer NOT NULL REFERENCES \`users\`(\`id\`) ON DELETE cascade,
	\`text\` text NOT NULL
);
INSERT INTO \`badges\` (\`user_id\`, \`text\`) SELECT \`id\`, 'among the first' FROM \`users\` WHERE \`email\` IS NOT NULL;
CREATE TABLE \`kept_refresh_tokens\` AS SELECT * FROM \`refresh_tokens\`;
DROP TABLE \`refresh_tokens\`;
CREATE TABLE \`refresh_tokens\` (
	\`hash\` text PRIMARY KEY NOT NULL,
	\`grant_id\` text NOT NULL REFERENCES \`grants\`(\`id\`) ON DELETE cascade,
	\`expires_at\` integer NOT NULL,
	\`used_at\` integer,
	\`uses\` integer DEFAULT 0 NOT NULL
);
CREATE INDEX \`refresh_tokens_grant\` ON \`refresh_tokens\` (\`grant_id\`);
CREATE INDEX \`refresh_tokens_expiry\` ON \`refresh_tokens\` (\`expires_at\`);
INSERT INTO \`refresh_tokens\` SELECT *, \`used_at\` IS NOT NULL FROM \`kept_refresh_tokens\`;
DROP TABLE \`kept_refresh_tokens\`;
-- It went with the table.
CREATE TRIGGER \`refresh_tokens_late\` BEFORE INSERT ON \`refresh_tokens\`
WHEN NOT EXISTS (SELECT 1 FROM \`grants\` WHERE \`id\` = new.\`grant_id\`) BEGIN
	SELECT RAISE(IGNORE);
END;
DROP TRIGGER \`users_left\`;
CREATE TRIGGER \`users_left\` BEFORE DELETE ON \`users\` BEGIN
	DELETE FROM \`planets\` WHERE \`creator_id\` = old.\`id\`;
	DELETE FROM \`bodies\` WHERE \`creator_id\` = old.\`id\`;
	DELETE FROM \`clients\` WHERE \`owner_id\` = old.\`id\`;
	DELETE FROM \`grants\` WHERE \`user_id\` = old.\`id\`;
	DELETE FROM \`api_keys\` WHERE \`user_id\` = old.\`id\`;
	DELETE FROM \`sign_ins\` WHERE \`user_id\` = old.\`id\`;
	DELETE FROM \`badges\` WHERE \`user_id\` = old.\`id\`;
END;
`
