import { raw } from 'hono/html'
import { EXAMPLE_ORIGIN } from '../../src/domain/example-origin.ts'
import { GUIDE_FILES, type GuideHead, guideFile } from '../../src/site/guides/files.ts'
import { GUIDE_GROUPS, NO_GUIDES } from './list.ts'
import { writeLlmsText } from './llms.ts'
import { type Heading, type NamedGuide, renderGuide, withExampleOrigin } from './render.ts'

/**
 * The files with the guides, for the Worker.
 *
 * @param pages The pages of docs/ as Markdown, by name without extension
 * @throws Error if a page is not on the list (list.ts) or missing, or a link leads to what is no guide
 */
export function describeGuides(pages: ReadonlyMap<string, string>): { name: string; text: string }[] {
  const names: readonly string[] = GUIDE_GROUPS.flatMap((group) => group.names)
  const strays = [...pages.keys()].filter((name) => ![...names, ...NO_GUIDES].includes(name))
  if (strays.length > 0) throw new Error(`documents/guides/list.ts does not name docs/${strays[0]}.md.`)
  const markdownOf = (name: string) => {
    const markdown = pages.get(name)
    if (markdown === undefined) throw new Error(`There is no docs/${name}.md.`)
    return markdown
  }
  const guides = names.map((name): NamedGuide => {
    try {
      return { name, ...renderGuide(markdownOf(name), addressOf) }
    } catch (error) {
      throw new Error(`docs/${name}.md cannot be a guide: ${error instanceof Error ? error.message : error}`)
    }
  })
  requireAnchors(guides)
  const heads: Record<string, GuideHead> = Object.fromEntries(
    guides.map(({ name, title, summary }) => [name, { title, description: summary }]),
  )
  return [
    { name: GUIDE_FILES.contents, text: String(<Contents guides={guides} />) },
    { name: GUIDE_FILES.heads, text: JSON.stringify(heads) },
    { name: GUIDE_FILES.llms, text: writeLlmsText(guides) },
    ...guides.flatMap((guide, index) => [
      {
        name: guideFile(guide.name, 'txt'),
        text: String(<GuidePage guide={guide} previous={guides[index - 1]} next={guides[index + 1]} />),
      },
      { name: guideFile(guide.name, 'md'), text: withExampleOrigin(markdownOf(guide.name)) },
    ]),
  ]

  /** Links to other guides become links of the service. Those to the service itself and to the web stay. */
  function addressOf(link: string): string {
    if (/^(https?:|#|\/)/.test(link))
      return link.startsWith(`${EXAMPLE_ORIGIN}/`) ? link.slice(EXAMPLE_ORIGIN.length) : link
    const [, name = '', anchor = ''] = /^([\w.-]+)\.md(#.*)?$/.exec(link) ?? []
    if (!names.includes(name)) throw new Error(`it links to ${link}, which the service does not have.`)
    return `/guides/${name}${anchor}`
  }
}

/** @throws Error if a link names an anchor that its guide does not have */
function requireAnchors(guides: readonly NamedGuide[]): void {
  const anchors = new Map(
    guides.map(({ name, html }) => [name, [...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id)]),
  )
  for (const { name, html } of guides) {
    for (const [, target = '', anchor] of html.matchAll(/ href="(?:\/guides\/([\w.-]+))?#([^"]+)"/g)) {
      const found = anchors.get(target || name)?.includes(decodeURIComponent(anchor ?? ''))
      if (!found) throw new Error(`docs/${name}.md links to ${target || name}.md#${anchor}, which has no such heading.`)
    }
  }
}

function Contents({ guides }: { guides: readonly NamedGuide[] }) {
  return (
    <>
      <h1>Guides</h1>
      <p class="lead">
        How to use this service, and how to run one. The addresses in the examples are those of this world.
      </p>
      <search id="guide-filter" class="needs-script">
        <label for="guide-text">Find in titles and headings</label>
        <input id="guide-text" name="text" type="search" autocomplete="off" />
        <p id="guide-count" role="status" />
      </search>
      {GUIDE_GROUPS.map(({ title, names }) => (
        <section data-guides>
          <h2>{title}</h2>
          {names.map((name) => {
            const guide = guides.find((other) => other.name === name)
            return guide && <Entry guide={guide} />
          })}
        </section>
      ))}
    </>
  )
}

function Entry({ guide: { name, title, summary, headings } }: { guide: NamedGuide }) {
  return (
    <div class="guide-entry" data-guide>
      <h3>
        <a href={`/guides/${name}`}>{title}</a>
      </h3>
      <p>{summary}</p>
      <details>
        <summary>{`Headings of ${title}`}</summary>
        <HeadingList headings={headings} path={`/guides/${name}`} />
      </details>
    </div>
  )
}

function GuidePage({ guide, previous, next }: Neighbours) {
  return (
    <div class="guide">
      <h1>{guide.title}</h1>
      <nav class="guide-contents" aria-label="In this guide">
        <details>
          <summary>In this guide</summary>
          <HeadingList headings={guide.headings} />
        </details>
      </nav>
      <article class="guide-text">
        {raw(guide.html)}
        <nav class="guide-ends" aria-label="More guides">
          {previous && <a href={`/guides/${previous.name}`} rel="prev">{`Previous: ${previous.title}`}</a>}
          <a href="/guides">All guides</a>
          <a href={`/guides/${guide.name}.md`} type="text/markdown">
            This guide as Markdown
          </a>
          {next && <a href={`/guides/${next.name}`} rel="next">{`Next: ${next.title}`}</a>}
        </nav>
      </article>
    </div>
  )
}

interface Neighbours {
  guide: NamedGuide
  previous: NamedGuide | undefined
  next: NamedGuide | undefined
}

/** @param path That of the guide, if the list is on another page */
function HeadingList({ headings, path = '' }: { headings: readonly Heading[]; path?: string }) {
  return (
    <ul class="guide-headings">
      {headings.map(({ level, id, text }) => (
        <li data-level={level}>
          <a href={`${path}#${id}`}>{text}</a>
        </li>
      ))}
    </ul>
  )
}
