import { describe, expect, it } from 'vitest'
import { describeGuides } from '../../../documents/guides/guides.tsx'
import { GUIDE_GROUPS, NO_GUIDES } from '../../../documents/guides/list.ts'
import { renderGuide } from '../../../documents/guides/render.ts'

const same = (link: string) => link

describe('a guide', () => {
  it('has its title, its first sentence, its headings and the rest as HTML', () => {
    const guide = renderGuide(
      '# The *title*\n\nOne `thing` is\nsaid. More.\n\n## First `part`\n\n### Again\n\n## Again\n',
      same,
    )
    expect(guide).toMatchObject({
      title: 'The title',
      summary: 'One thing is said.',
      headings: [
        { level: 2, id: 'first-part', text: 'First part' },
        { level: 3, id: 'again', text: 'Again' },
        { level: 2, id: 'again-1', text: 'Again' },
      ],
    })
    expect(guide.html).toContain('<h2 id="first-part">First <code>part</code></h2>')
    expect(guide.html).not.toContain('<h1')
  })

  it('has code as text, and no HTML of its own', () => {
    const { html } = renderGuide(
      '# T\n\n```sh\ncurl "http://localhost:8787/a?b=<c>"\n```\n\n<script>x</script>\n',
      same,
    )
    expect(html).toContain('<code translate="no">curl &quot;https://galaxy.test/a?b=&lt;c&gt;&quot;</code>')
    expect(html).toContain('&lt;script&gt;')
  })

  it('without a title is refused', () => {
    expect(() => renderGuide('Text', same)).toThrow('no title')
  })
})

describe('the guides', () => {
  const names = GUIDE_GROUPS.flatMap((group): readonly string[] => group.names)
  const pages = (changed: Record<string, string> = {}) =>
    new Map([...names, ...NO_GUIDES].map((name) => [name, changed[name] ?? `# ${name}\n\nText.\n\n## Part\n`]))

  it('link to one another', () => {
    const files = describeGuides(
      pages({ live: '# Live\n\nSee [that](callbacks.md#part), [it](echo.md) and [us](#end).\n\n## End\n' }),
    )
    const { text = '' } = files.find(({ name }) => name === 'guide-live.txt') ?? {}
    for (const href of ['/guides/callbacks#part', '/guides/echo', '#end']) expect(text).toContain(`<a href="${href}">`)
  })

  it.each([
    ['to what is no guide', '[x](dependencies.md)', 'docs/live.md cannot be a guide: it links to dependencies.md'],
    ['to a file', '[x](../src/app.ts)', '../src/app.ts'],
    ['to a heading that another guide does not have', '[x](echo.md#nowhere)', 'docs/live.md links to echo.md#nowhere'],
    ['to a heading that it does not have', '[x](#nowhere)', 'docs/live.md links to live.md#nowhere'],
  ])('with a link %s are refused', (_, link, message) => {
    expect(() => describeGuides(pages({ live: `# Live\n\n${link}\n` }))).toThrow(message)
  })

  it('are refused if a page is on no list, or missing', () => {
    expect(() => describeGuides(new Map([...pages(), ['new', '# New']]))).toThrow('docs/new.md')
    const withoutEcho = pages()
    withoutEcho.delete('echo')
    expect(() => describeGuides(withoutEcho)).toThrow('There is no docs/echo.md.')
  })
})
