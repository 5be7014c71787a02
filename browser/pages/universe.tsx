import { render } from 'hono/jsx/dom'
import { UniverseState } from '../universe/bar.tsx'
import { UniverseNotes } from '../universe/notes.tsx'
import { takeReset } from '../universe/owner.ts'

// The bar at the top of every page of a universe (src/design/universe-bar.ts).

const state = document.querySelector<HTMLElement>('#universe-state')
if (state) render(<UniverseState isFixed={state.dataset.fixed !== undefined} />, state)

const notes = document.querySelector<HTMLElement>('#universe-notes')
if (notes) render(<UniverseNotes isReset={takeReset()} />, notes)
