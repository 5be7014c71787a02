/** The pages about planets. The id of a planet follows. */
export const PLANET_PAGES = '/explore/planets/'
