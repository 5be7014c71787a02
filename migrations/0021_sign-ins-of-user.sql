-- A new password, and the deletion of an account, find the sign-ins of the user by an index. The table becomes WITHOUT
-- ROWID, which saves the index of its primary key. So a sign-in still writes three rows. drizzle-kit does not know WITHOUT
-- ROWID: test/worker/costs.test.ts notices if a later migration loses it.
CREATE TABLE `kept_sign_ins` AS SELECT * FROM `sign_ins`;
--> statement-breakpoint
DROP TABLE `sign_ins`;
--> statement-breakpoint
CREATE TABLE `sign_ins` (
	`hash` text PRIMARY KEY NOT NULL,
	`user_id` integer NOT NULL,
	`password_generation` integer NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `sign_ins_expiry` ON `sign_ins` (`expires_at`);
--> statement-breakpoint
CREATE INDEX `sign_ins_user` ON `sign_ins` (`user_id`);
--> statement-breakpoint
INSERT INTO `sign_ins` (`hash`, `user_id`, `password_generation`, `created_at`, `expires_at`)
SELECT `hash`, `user_id`, `password_generation`, `created_at`, `expires_at` FROM `kept_sign_ins`;
--> statement-breakpoint
DROP TABLE `kept_sign_ins`;
--> statement-breakpoint
-- As before. It went with the table.
CREATE TRIGGER `sign_ins_late` BEFORE INSERT ON `sign_ins` WHEN NOT EXISTS (SELECT 1 FROM `users` WHERE `id` = new.`user_id`) BEGIN
	SELECT RAISE(IGNORE);
END;
