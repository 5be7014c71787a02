/** A form of a page. */
export interface HtmlForm {
  action: string
  /** The hidden fields. */
  fields: Record<string, string>
}

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", '#39': "'", '#x27': "'" }

/** The first form of a page; undefined if it has none. */
export function findForm(page: string): HtmlForm | undefined {
  const [, attributes, content = ''] = /<form\b([^>]*)>(.*?)<\/form>/is.exec(page) ?? []
  if (attributes === undefined) return undefined
  const inputs = [...content.matchAll(/<input\b([^>]*)>/gi)].map(([, of = '']) => of)
  const hidden = inputs.filter((of) => attributeOf(of, 'type') === 'hidden')
  const fields = hidden.map((of) => [attributeOf(of, 'name') ?? '', attributeOf(of, 'value') ?? ''])
  return { action: attributeOf(attributes, 'action') ?? '', fields: Object.fromEntries(fields) }
}

function attributeOf(attributes: string, name: string): string | undefined {
  const [, value] = new RegExp(`\\b${name}="([^"]*)"`, 'i').exec(attributes) ?? []
  return value?.replaceAll(/&(#?\w+);/g, (entity, code) => ENTITIES[code] ?? entity)
}
