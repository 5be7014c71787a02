import MarkdownIt, { type Token } from 'markdown-it'
import { EXAMPLE_ORIGIN } from '../../src/domain/example-origin.ts'

/** A guide, as its page shows it. */
export interface RenderedGuide {
  title: string
  /** The first sentence, without markup. */
  summary: string
  /** All below the title, as HTML. */
  html: string
  headings: readonly Heading[]
}

export interface NamedGuide extends RenderedGuide {
  name: string
}

/** A heading below the title. */
export interface Heading {
  level: 2 | 3
  id: string
  text: string
}

/** The address that examples use, where the service runs on the reader's machine. */
const LOCAL_ADDRESS = 'http://localhost:8787'

/** The texts of a guide with addresses that `atOrigin` replaces by those of the world that one reads in. */
export function withExampleOrigin(markdown: string): string {
  return markdown.replaceAll(LOCAL_ADDRESS, EXAMPLE_ORIGIN)
}

/**
 * Renders a guide. Headings have the anchors that GitHub gives them, so a link works in both places.
 *
 * @param addressOf Where a link to another page of the project leads on the service
 * @throws Error if the text has no title, or a link that leads nowhere on the service
 */
export function renderGuide(markdown: string, addressOf: (link: string) => string): RenderedGuide {
  const markdownIt = new MarkdownIt()
  const tokens = markdownIt.parse(withExampleOrigin(markdown), {})
  const headings: Heading[] = []
  let title: string | undefined
  const used = new Map<string, number>()
  for (const [index, token] of tokens.entries()) {
    for (const child of token.children ?? []) {
      if (child.type === 'link_open') child.attrSet('href', addressOf(String(child.attrGet('href') ?? '')))
    }
    if (token.type !== 'heading_open') continue
    const text = plainText(tokens[index + 1])
    const id = uniqueAnchor(text, used)
    token.attrSet('id', id)
    if (token.tag === 'h1') title ??= text
    if (token.tag === 'h2' || token.tag === 'h3') headings.push({ level: token.tag === 'h2' ? 2 : 3, id, text })
  }
  if (title === undefined) throw new Error('A guide has no title.')
  markdownIt.renderer.rules.table_open = () =>
    '<div class="scroll-x" tabindex="0" role="group" aria-label="Table"><table>\n'
  markdownIt.renderer.rules.table_close = () => '</table></div>\n'
  markdownIt.renderer.rules.fence = (blocks, index) => renderCode(markdownIt, blocks[index])
  markdownIt.renderer.rules.code_block = (blocks, index) => renderCode(markdownIt, blocks[index])
  const afterTitle = tokens.findIndex(({ type }) => type === 'heading_close') + 1
  const opening = plainText(tokens[tokens.findIndex(({ type }) => type === 'paragraph_open') + 1])
  return {
    title,
    summary: firstSentence(opening),
    html: markdownIt.renderer.render(tokens.slice(afterTitle), markdownIt.options, {}),
    headings,
  }
}

/** A block of code, to which the script of the page adds a button (browser/lib/copy.ts). */
function renderCode({ utils }: InstanceType<typeof MarkdownIt>, token: Token | undefined): string {
  const code = utils.escapeHtml((token?.content ?? '').trimEnd())
  return `<div class="code-text" role="group" tabindex="0" aria-label="Code" data-copy="the code"><pre><code translate="no">${code}</code></pre></div>\n`
}

/** The text of a heading or paragraph without its markup. */
function plainText(token: Token | undefined): string {
  return (token?.children ?? [])
    .map(({ type, content }) => (type === 'softbreak' ? ' ' : content))
    .join('')
    .trim()
}

function firstSentence(text: string): string {
  return /^.*?[.!?:](?= |$)/.exec(text)?.[0].replace(/:$/, '.') ?? text
}

/** The anchor of a heading, as GitHub makes it: lower case, without punctuation, with a number if it is not the first. */
function uniqueAnchor(heading: string, used: Map<string, number>): string {
  const anchor = heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-')
  const count = used.get(anchor) ?? 0
  used.set(anchor, count + 1)
  return count === 0 ? anchor : `${anchor}-${count}`
}
