import { useEffect, useLayoutEffect, useRef, useState } from 'hono/jsx/dom'
import { parseSelection, SECTIONS, type Selection } from './selection.ts'

const START: Selection = { section: 'deliveries', id: undefined, query: new URLSearchParams() }

/** The id of the element that gets the focus when the selection changes. */
const HEADING = 'section-heading'

export const HEADING_PROPS = { id: HEADING, tabindex: -1 } as const

/** Moves the focus to the heading of the section, because the focused element is gone. */
export function focusHeading(): void {
  document.getElementById(HEADING)?.focus()
}

/** The selection in the URL. Other fragments, such as `#main` of the skip link, do not change the selection. */
export function useSelection(): Selection {
  const [selection, setSelection] = useState(() => parseSelection(location.hash) ?? START)
  /** The fragment of the current selection; empty if the URL has had none. */
  const selectionHash = useRef(parseSelection(location.hash) ? location.hash : '')
  useLayoutEffect(() => {
    // Puts the current selection back into the URL, so that a reload restores it.
    const restore = () => history.replaceState(null, '', selectionHash.current || location.pathname)
    const follow = () => {
      const next = parseSelection(location.hash)
      if (!next) return restore()
      selectionHash.current = location.hash
      setSelection(next)
    }
    // Removes the fragment of the sign-up form. Otherwise the form would appear when the person signs out.
    if (!parseSelection(location.hash)) restore()
    addEventListener('hashchange', follow)
    return () => removeEventListener('hashchange', follow)
  }, [])
  useAnnouncement(selection)
  return selection
}

/** Announces the new selection: by the title of the page, and by the focus. */
function useAnnouncement({ section, id }: Selection): void {
  const isFirstSelection = useRef(true)
  useEffect(() => {
    document.title = `${SECTIONS[section]}: your Galaxy account`
    if (!isFirstSelection.current) focusHeading()
    isFirstSelection.current = false
  }, [section, id])
}
