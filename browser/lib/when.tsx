const FORMAT = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' })

/** A time in the zone and the language of the person. */
export function formatTime(at: string): string {
  return FORMAT.format(new Date(at))
}

/** @param at RFC 3339 */
export function When({ at }: { at: string }) {
  return <time datetime={at}>{formatTime(at)}</time>
}
