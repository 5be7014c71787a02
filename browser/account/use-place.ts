import { useEffect, useLayoutEffect, useRef, useState } from 'hono/jsx/dom'
import { type Place, parsePlace, SECTIONS } from './place.ts'

const START: Place = { section: 'deliveries', id: undefined, query: new URLSearchParams() }

/** The id of the element that gets the focus when the place changes. */
const HEADING = 'section-heading'

/** The attributes of the heading of each section. */
export const HEADING_PROPS = { id: HEADING, tabindex: -1 } as const

/** Moves the focus to the heading of the section, because the focused element is gone. */
export function focusHeading(): void {
  document.getElementById(HEADING)?.focus()
}

/** The place in the URL. Other fragments, such as `#main` of the skip link, do not change the place. */
export function usePlace(): Place {
  const [place, setPlace] = useState(() => parsePlace(location.hash) ?? START)
  /** The fragment of the current place; empty if the URL has had none. */
  const placeHash = useRef(parsePlace(location.hash) ? location.hash : '')
  useLayoutEffect(() => {
    // Puts the current place back into the URL, so that a reload restores it.
    const restore = () => history.replaceState(null, '', placeHash.current || location.pathname)
    const follow = () => {
      const next = parsePlace(location.hash)
      if (!next) return restore()
      placeHash.current = location.hash
      setPlace(next)
    }
    // Removes the fragment of the sign-up form. Otherwise the form would appear when the person signs out.
    if (!parsePlace(location.hash)) restore()
    addEventListener('hashchange', follow)
    return () => removeEventListener('hashchange', follow)
  }, [])
  useAnnouncement(place)
  return place
}

/** Announces the new place: by the title of the page, and by the focus. */
function useAnnouncement({ section, id }: Place): void {
  const isFirstPlace = useRef(true)
  useEffect(() => {
    document.title = `${SECTIONS[section]}: your Galaxy account`
    if (!isFirstPlace.current) focusHeading()
    isFirstPlace.current = false
  }, [section, id])
}
