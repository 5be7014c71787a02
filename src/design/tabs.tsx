import type { Child } from 'hono/jsx'

/** A tab: one of several views of the same thing. */
interface Tab {
  /** Unique among the tabs. The browser stores the id of the chosen tab. */
  id: string
  label: string
  content: Child
}

interface TabsProps {
  name: string
  label: string
  /** That of the headings without scripts. */
  level?: 'h3' | 'h4'
  tabs: readonly Tab[]
}

/**
 * Sections that the script of the page turns into tabs (browser/lib/tabs.ts). Without scripts, all sections are
 * visible.
 */
export function Tabs({ name, label, level: Heading = 'h4', tabs }: TabsProps) {
  return (
    <div class="tabs" data-tabs={name} data-label={label}>
      {tabs.map(({ id, label, content }) => (
        <section id={`${name}-${id}`} data-tab={id} aria-labelledby={`${name}-${id}-heading`}>
          <Heading id={`${name}-${id}-heading`}>{label}</Heading>
          {content}
        </section>
      ))}
    </div>
  )
}

/** The maximum number of characters of code that a page shows. */
const CODE_MAX = 20_000

/** Code. If the page shows all of it, the script of the page adds a button that copies it (browser/lib/copy.ts). */
export function Code({ label, code }: { label: string; code: string }) {
  const isCut = code.length > CODE_MAX
  return (
    <>
      <section class="code-text" tabindex={0} aria-label={label} data-copy={isCut ? undefined : label}>
        <pre>
          <code translate="no">{isCut ? `${code.slice(0, CODE_MAX).toWellFormed()}…` : code}</code>
        </pre>
      </section>
      {isCut && <p class="hint">This is the beginning. The whole text has {code.length} characters.</p>}
    </>
  )
}
