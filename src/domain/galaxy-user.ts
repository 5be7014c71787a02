/** The owner of the shipped planets. In the common world, nobody can sign in as this user or delete it. */
export const GALAXY_USER_ID = 1
