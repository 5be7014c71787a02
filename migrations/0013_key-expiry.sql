-- Keys that end after the year 9999 could be made once, and no answer could tell when: they end with that year.
UPDATE `api_keys` SET `expires_at` = 253402300799999 WHERE `expires_at` > 253402300799999;
