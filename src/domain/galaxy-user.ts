/** The user who owns the preloaded planets. Nobody can sign in as this user, or delete it. */
export const GALAXY_USER_ID = 1
