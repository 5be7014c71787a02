/** Names the services that a test has replaced for a request. The object of the universe takes it off again. */
export const REPLACED_HEADER = 'X-Test-Services'
