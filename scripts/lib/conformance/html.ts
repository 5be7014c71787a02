/** A form of a page. */
export interface HtmlForm {
  action: string
  /** The hidden fields. */
  fields: Record<string, string>
}

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", '#39': "'", '#x27': "'" }

/** The first form of a page; undefined if it has none. Values of attributes must be in double quotes. */
export function findForm(page: string): HtmlForm | undefined {
  const [, attributes, content = ''] = /<form\b([^>]*)>(.*?)<\/form>/is.exec(page) ?? []
  if (attributes === undefined) return undefined
  const inputs = [...content.matchAll(/<input\b([^>]*)>/gi)].map(([, inputAttributes = '']) => inputAttributes)
  const hidden = inputs.filter((input) => attributeOf(input, 'type') === 'hidden')
  const fields = hidden.map((input) => [attributeOf(input, 'name') ?? '', attributeOf(input, 'value') ?? ''])
  return { action: attributeOf(attributes, 'action') ?? '', fields: Object.fromEntries(fields) }
}

function attributeOf(attributes: string, name: string): string | undefined {
  const [, value] = new RegExp(`\\b${name}="([^"]*)"`, 'i').exec(attributes) ?? []
  return value?.replaceAll(/&(#?\w+);/g, (entity, code) => ENTITIES[code] ?? entity)
}
