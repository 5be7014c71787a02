import { useId, useRef, useState } from 'hono/jsx/dom'
import type { ShownRequest } from '../../src/design/shown-request.ts'
import { type Snippet, snippetsOf } from '../../src/design/snippets.ts'
import { CopyButton } from './copy-button.tsx'
import { keepTab, loadTab, moveTab } from './tab-list.ts'
import { WithTokens } from './token.tsx'

/** The choice that is kept, also for the tabs of the page about a planet (src/site/planet/in-the-api.tsx). */
const CHOICE = 'language'

/** A request as code, with a tab for each language (ARIA Authoring Practices, "Tabs"). */
export function CodeTabs({ request }: { request: ShownRequest }) {
  const snippets = snippetsOf(request)
  const [chosen, setChosen] = useState(() => loadTab(CHOICE))
  const id = useId()
  const code = useRef<HTMLElement>(null)
  const found = snippets.findIndex(({ language }) => language === chosen)
  // -1 if nothing is chosen, or a language that this list does not have: then the first tab is selected.
  const selected = Math.max(0, found)
  const snippet = snippets[selected]
  if (!snippet) return null
  function choose(next: number) {
    const language = snippets[next]?.language ?? ''
    keepTab(CHOICE, language)
    setChosen(language)
  }
  return (
    <div class="code">
      <div class="code-bar">
        <TabList id={id} snippets={snippets} selected={selected} choose={choose} />
        <CopyButton key={snippet.language} source={code} what={`the ${snippet.label} code`} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a tab panel without controls has to be reached with Tab */}
      <pre id={`${id}-panel`} role="tabpanel" aria-labelledby={`${id}-${snippet.language}`} tabIndex={0}>
        <code ref={code}>
          <WithTokens text={snippet.code} />
        </code>
      </pre>
    </div>
  )
}

interface TabListProps {
  id: string
  snippets: readonly Snippet[]
  /** The position of the selected tab. */
  selected: number
  choose: (position: number) => void
}

function TabList({ id, snippets, selected, choose }: TabListProps) {
  const list = useRef<HTMLDivElement>(null)
  function move(event: KeyboardEvent) {
    const next = moveTab(event.key, selected, snippets.length)
    if (next === undefined) return
    event.preventDefault()
    choose(next)
    list.current?.querySelectorAll<HTMLElement>('[role=tab]')[next]?.focus()
  }
  return (
    <div role="tablist" aria-label="The request as code" ref={list} onKeyDown={move}>
      {snippets.map(({ language, label }, position) => (
        <button
          key={language}
          type="button"
          role="tab"
          id={`${id}-${language}`}
          aria-selected={position === selected ? 'true' : 'false'}
          aria-controls={`${id}-panel`}
          tabIndex={position === selected ? 0 : -1}
          onClick={() => choose(position)}
        >
          {label}
        </button>
      ))}
    </div>
  )
}
