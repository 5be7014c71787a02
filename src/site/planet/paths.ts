// This file runs in browsers too.

/** The beginning of the paths of the pages about planets. The id of a planet follows. */
export const PLANET_PAGES = '/explore/planets/'

export function pathOf({ id }: { id: number }): string {
  return `${PLANET_PAGES}${id}`
}
