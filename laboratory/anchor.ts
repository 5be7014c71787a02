/** The anchor of a case on a page: `query-form-array`. */
export function anchorOf(id: string): string {
  return id.replace('/', '-')
}
