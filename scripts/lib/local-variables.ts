/** Variables that differ from wrangler.toml on a local machine. `--var` overrides them. */
export const LOCAL_VARIABLES = {
  WRITE_RATE_LIMIT: 'off',
  SEARCH_RATE_LIMIT: 'off',
  CALLBACK_ALLOW_PRIVATE: 'on',
  CALLBACK_TARGET_LIMITS: 'off',
  ACCOUNT_LIMITS: 'off',
  // The terminal shows each request in words.
  LOG_REQUESTS: 'off',
  // A test suite makes a universe for each of its files, all from one address.
  UNIVERSE_RATE_LIMIT: '10000',
  // The tests of a client sign in again and again, also from one address.
  DEVICE_RATE_LIMIT: '10000',
}
