/**
 * Rows of every kind, by the migration after which they were stored. Each migration that adds a table has rows of it
 * here. They are as a service of that time could have written them. So once a migration follows, the rows before it are
 * never changed, whatever the tables become.
 */
export const ROWS_OF_EVERY_KIND: Readonly<Record<string, readonly string[]>> = {
  '0000_baseline': [
    `insert into users (id, email, email_key, name, password_hash, password_generation, suspended_at, created_at, issuer, subject, renamed_at, bodies_used, body_bytes_used, images_used, image_bytes_used, deliveries_used) values
      (1, null, null, 'Galaxy', null, 0, null, 1760000000000, null, null, null, 1, 37, 0, 0, 0),
      (2, 'Marc@example.com', 'marc@example.com', 'Marc', '$pbkdf2$600000$c2FsdA==$aGFzaA==', 3, null, 1760000000000, null, null, 1760000001000, 2, 189, 1, 4096, 2),
      (3, 'paul@arrakis.test', 'paul@arrakis.test', 'Paul Muad’Dib', null, 0, null, 1760000000000, 'https://issuer.test', 'paul', null, 0, 0, 0, 0, 0),
      (4, 'vladimir@example.com', 'vladimir@example.com', null, '$pbkdf2$600000$c2FsdA==$aGFzaA==', 1, 1760000000000, 1760000000000, null, null, null, 0, 0, 0, 0, 0)`,
    `insert into images (key, mime_type, file_size, uploaded_at, orphaned_at, url) values
      ('image-of-arrakis', 'image/png', 4096, 1760000000000, null, 'https://galaxy.test/images/image-of-arrakis.png'),
      ('image-of-nothing', 'image/jpeg', 100, 1760000000000, 1760000000000, 'https://galaxy.test/images/image-of-nothing.jpg')`,
    `insert into planets (id, creator_id, version, last_updated, properties, lists_satellites, image_key, extras, satellite_bytes) values
      (1, 1, 1, 1760000000000, '{"name":"Earth","type":"terrestrial"}', 0, null, null, 0),
      (5403, 2, 7, 1760000000000, '{"name":"Arrakis","type":"terrestrial","description":"Ω"}', 1, 'image-of-arrakis', '{"color":"sand"}', 31)`,
    `insert into bodies (id, planet_id, host_id, position, creator_id, last_updated, type, properties, extras, lists_satellites, satellite_bytes) values
      (1000000001, 5403, null, 0, 2, 1760000000000, 'moon', '{"name":"Krelln","type":"moon"}', null, 0, 0),
      (1000000002, null, null, 0, 2, 1760000000000, 'star', '{"name":"Canopus","type":"star"}', '{"spectralClass":"A9"}', 1, 30),
      (1000000003, null, 1000000002, 0, 2, 1760000000000, 'moon', '{"name":"Arvon","type":"moon"}', null, 0, 0)`,
    `insert into rate_limits (key, attempts, resets_at) values ('password/email/marc@example.com', 2, 1760000060000)`,
    `insert into api_keys (id, user_id, password_generation, hash, preview, name, scopes, created_at, expires_at, last_used_at, made_by_key, depth) values
      (1, 2, 3, 'hash-of-key', 'glx_1234', 'CI', '["read:planets","write:planets"]', 1760000000000, 1860000000000, 1760000000001, null, 0),
      (2, 2, 3, 'hash-of-second-key', 'glx_5678', null, '["read:planets"]', 1760000000000, null, null, 1, 1)`,
    `insert into clients (id, owner_id, password_generation, secret_hash, metadata, created_at, last_used_at, network) values
      ('owned', 2, 3, 'hash-of-secret', '{"client_name":"Ornithopter","redirect_uris":["https://a.test/cb"]}', 1760000000000, 1760000000000, null),
      ('strange', null, null, null, '{"client_name":"Fremen","redirect_uris":["https://b.test/cb"]}', 1760000000000, 1760000000001, '192.0.2.0/24')`,
    `insert into grants (id, client_id, user_id, password_generation, scopes, authenticated_at, created_at, expires_at, ended_at) values
      ('grant', 'owned', 2, 3, '["openid","read:planets"]', 1760000000000, 1760000000000, 1860000000000, null),
      ('ended-grant', 'strange', 2, 3, '["openid"]', 1760000000000, 1760000000000, 1860000000000, 1760000000002)`,
    `insert into consents (user_id, client_id, password_generation, scopes, created_at) values (2, 'owned', 3, '["openid"]', 1760000000000)`,
    `insert into codes (hash, grant_id, expires_at, used_at, redirect_uri, challenge, nonce) values
      ('hash-of-code', 'grant', 1760000060000, 1760000000001, 'https://a.test/cb', 'challenge', 'nonce')`,
    `insert into refresh_tokens (hash, grant_id, expires_at, used_at) values ('hash-of-token', 'grant', 1860000000000, null)`,
    `insert into sign_ins (hash, user_id, password_generation, created_at, expires_at) values
      ('hash-of-sign-in', 2, 3, 1760000000000, 1860000000000)`,
    `insert into used_assertions (hash, expires_at) values ('hash-of-assertion', 1860000000000)`,
    `insert into webhooks (id, user_id, url, events, status, origin, secret, auth_scheme, auth, created_at, active_since, failures, failing_since, canonical_url, host) values
      (1, 2, 'https://Receiver.test/hook', '["planetCreated"]', 'active', 'https://galaxy.test', 'sealed-secret', 'bearer', 'sealed-token', 1760000000000, 1760000000000, 1, 1760000000003, 'https://receiver.test/hook', 'receiver.test')`,
    `insert into log (place, kind, user_id, planet_id, event_count, created_at, salt, bytes_until, public_until, private_until, body, details) values
      (1, 'planet_deleted', null, 5403, 1, 1760000000000, 'a1682f0000000001', 100, 1, 0, '{"id":5403}', '{"requestId":"b7b6d9a2-7b0e-4f0e-9d33-6a3c1a3f8f10"}')`,
    `insert into events (id, type, planet_id, body, created_at, expanded_to, live_id) values
      (1, 'planetCreated', 5403, '{"id":5403}', 1760000000000, null, '019bc210-3240-7000-a168-2f0000000001'),
      (2, 'planetCreated', 5403, '{"id":5403}', 1760000000000, 0, null)`,
    `insert into deliveries (id, event_id, event, planet_id, message_id, user_id, webhook_id, url, origin, status, created_at, next_attempt_at, leased_until, retries, ended_at, host) values
      (1, 1, 'planetCreated', 5403, 'message-1', 2, null, 'https://receiver.test/callback', 'https://galaxy.test', 'delivered', 1760000000000, null, null, 0, 1760000000001, 'receiver.test'),
      (2, 1, 'planetCreated', 5403, 'message-2', 2, 1, 'https://receiver.test/hook', 'https://galaxy.test', 'pending', 1760000000000, 1760000005000, null, 1, null, 'receiver.test')`,
    `insert into call_targets (host, window_start, calls, leases, accepted_at, kept_until) values ('receiver.test', 1760000000000, 2, '{}', 1760000000001, 1860000000000)`,
    `insert into attempts (id, delivery_id, started_at, duration_ms, status, error, response) values
      (1, 1, 1760000000000, 12, 200, null, 'thanks'), (2, 2, 1760000000000, 1000, null, 'timeout', null)`,
    `insert into dead_letters (id, message_id, body, attempts, created_at) values (1, 'queue-message', '{"delivery":2}', 4, 1760000000000)`,
    `insert into refused_callbacks (planet_id, url, ended_at) values (5403, 'https://receiver.test/enough', null)`,
    `insert into signing_secrets (user_id, secret, created_at, previous, previous_ends_at) values (2, 'sealed', 1760000000000, 'sealed-before', 1760086400000)`,
    `insert into inboxes (id, status, body, created_at, expires_at, network, last_used_at) values
      ('0b9b2f6e-7d9a-4c46-9a55-5a3f8e2f7f10', 200, 'ok', 1760000000000, 1860000000000, '192.0.2.0/24', 1760000000000)`,
    `insert into inbox_requests (id, inbox_id, received_at, request) values (1, '0b9b2f6e-7d9a-4c46-9a55-5a3f8e2f7f10', 1760000000000, '{"method":"POST"}')`,
    `insert into universes (id, seed, created_at, made_at, ended_at, due_at) values ('abcdefghijklmnop', 'catalogue', 1760000000000, 1760000000100, null, 1860000000000)`,
    `insert into retention_positions (kind, owner_id, id) values ('planets', 2, 5403)`,
    `insert into kept_replies (user_id, key, fingerprint, claim, created_at, reply, maker) values
      (2, 'spice', 'fingerprint', null, 1760000000000, 'sealed', '{"scopes":["write:planets"],"endsAt":1860000000000,"creationsEndAt":null,"mayCreateCredentials":true}'),
      (2, 'melange', 'fingerprint', 'claim', 1760000000000, null, '{"scopes":["write:planets"],"endsAt":1860000000000,"creationsEndAt":null,"mayCreateCredentials":true}')`,
  ],
  '0002_lab-runs': [
    `insert into lab_runs (id, tool, version, expect, skip, closed, created_at, expires_at, network) values
      ('k3v7q2m5x4b6n7p2r5t6w3y4', 'openapi-fetch', '0.15.0', '{}', '{"xml/*":"no XML"}', 0, 1760000000000, 1860000000000, '192.0.2.0/24')`,
    `insert into lab_results (run_id, case_id, requests, last_at, request_id, steps, received) values
      ('k3v7q2m5x4b6n7p2r5t6w3y4', 'query/form-string', 1, 1760000000000, 'request-1', '[{"at":1760000000000}]', x'636f6c6f72')`,
  ],
  '0003_device-codes': [
    `insert into device_codes (hash, grant_id, expires_at, used_at, client_id, scopes, user_code, network, interval, polled_at) values
      ('hash-of-waiting', null, 1860000000000, null, 'owned', '["read:planets"]', 'WDJBMJHT', '192.0.2.0/24', 10, 1760000000000),
      ('hash-of-denied', null, 1860000000000, null, 'strange', '["openid"]', null, null, 5, null),
      ('hash-of-allowed', 'grant', 1860000000000, 1760000000001, 'owned', '["openid"]', null, null, 5, null)`,
  ],
  '0004_observations': [
    `insert into observation_batches (id, user_id, planet_id, observer, observed_at, accepted, images, observations, created_at, leased_until, completed_at) values
      ('8f47c132-9d1f-4f83-b5a4-91db5ee757ab', 2, 5403, 'Galileo Observatory', '2024-01-15T14:30:00Z', 1, '[{"declaredType":"image/png","fileSize":3,"sha256":"e3b0c442"}]', null, 1760000000000, 1760000010000, null),
      ('8f47c132-9d1f-4f83-b5a4-91db5ee757ac', 2, 1, 'Galileo Observatory', null, 0, null, '[]', 1760000000000, 1760000010000, 1760000000001)`,
  ],
  '0006_receiver-tests': [
    `insert into webhook_checks (id, webhook_id, event, results, created_at, ended_at) values
      ('8f47c132-9d1f-4f83-b5a4-91db5ee757ad', 1, 'newPlanet', '[{"defect":"none","verdict":"right","reason":null,"statuses":[200],"deliveryId":2}]', 1760000000000, 1760000000001)`,
    `insert into webhook_tests (delivery_id, defect, verdict, reason, first_call_at, check_id) values
      (2, 'none', 'right', null, null, '8f47c132-9d1f-4f83-b5a4-91db5ee757ad'),
      (1, 'retried', null, null, 1760000000000, null)`,
  ],
}
