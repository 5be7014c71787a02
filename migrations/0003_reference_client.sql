-- The page of the API reference is a client like others, but nobody has to register it. Its redirect URI is a path, on
-- whatever origin the service has.
INSERT INTO `clients` (`id`, `metadata`, `created_at`, `last_used_at`) VALUES (
	'galaxy-reference',
	json_object(
		'client_name', 'Galaxy API reference',
		'redirect_uris', json_array('/docs/oauth2-redirect'),
		'token_endpoint_auth_method', 'none',
		'grant_types', json_array('authorization_code', 'refresh_token', 'implicit', 'password'),
		'response_types', json_array('code', 'token'),
		'scope', 'read:account write:account read:planets write:planets openid profile email offline_access',
		'post_logout_redirect_uris', json_array()
	),
	unixepoch() * 1000,
	unixepoch() * 1000
);
