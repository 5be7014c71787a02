import { useId, useRef, useState } from 'hono/jsx/dom'
import type { ShownRequest } from '../../src/design/shown-request.ts'
import { type Snippet, snippetsOf } from '../../src/design/snippets.ts'
import { CopyButton } from './copy-button.tsx'
import { LANGUAGE_KEY } from './session.ts'
import { readStored, store } from './storage.ts'

const STEPS: Readonly<Record<string, (index: number, count: number) => number>> = {
  ArrowRight: (index, count) => (index + 1) % count,
  ArrowLeft: (index, count) => (index + count - 1) % count,
  Home: () => 0,
  End: (_, count) => count - 1,
}

/** A request as code, with a tab for each language (ARIA Authoring Practices, "Tabs"). */
export function CodeTabs({ request }: { request: ShownRequest }) {
  const snippets = snippetsOf(request)
  const [chosen, setChosen] = useState(() => readStored(LANGUAGE_KEY))
  const id = useId()
  const found = snippets.findIndex(({ language }) => language === chosen)
  const index = Math.max(0, found)
  const snippet = snippets[index]
  if (!snippet) return null
  function choose(next: number) {
    const language = snippets[next]?.language ?? ''
    store(LANGUAGE_KEY, language)
    setChosen(language)
  }
  return (
    <div class="code">
      <div class="code-bar">
        <TabList id={id} snippets={snippets} index={index} choose={choose} />
        <CopyButton key={snippet.language} text={snippet.code} what={`the ${snippet.label} code`} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a tab panel without controls has to be reached with Tab */}
      <pre id={`${id}-panel`} role="tabpanel" aria-labelledby={`${id}-${snippet.language}`} tabIndex={0}>
        <code>{snippet.code}</code>
      </pre>
    </div>
  )
}

interface TabListProps {
  id: string
  snippets: readonly Snippet[]
  index: number
  choose: (index: number) => void
}

function TabList({ id, snippets, index, choose }: TabListProps) {
  const list = useRef<HTMLDivElement>(null)
  function move(event: KeyboardEvent) {
    const step = STEPS[event.key]
    if (!step) return
    event.preventDefault()
    const next = step(index, snippets.length)
    choose(next)
    list.current?.querySelectorAll<HTMLElement>('[role=tab]')[next]?.focus()
  }
  return (
    <div role="tablist" aria-label="The request as code" ref={list} onKeyDown={move}>
      {snippets.map(({ language, label }, at) => (
        <button
          key={language}
          type="button"
          role="tab"
          id={`${id}-${language}`}
          aria-selected={at === index ? 'true' : 'false'}
          aria-controls={`${id}-panel`}
          tabIndex={at === index ? 0 : -1}
          onClick={() => choose(at)}
        >
          {label}
        </button>
      ))}
    </div>
  )
}
