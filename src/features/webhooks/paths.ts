/** The paths of tests of receivers, in the notation of Hono. */
export const RECEIVER_TEST_PATHS = ['/webhooks/:webhookId/tests', '/webhooks/:webhookId/checks/*']
