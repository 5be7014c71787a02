import { render } from 'hono/jsx/dom'
import { EventsApp } from '../events/app.tsx'

// The page /docs/events. What the script needs to know of the AsyncAPI document is in the page.

const element = document.querySelector<HTMLElement>('#events')
if (element) render(<EventsApp facts={JSON.parse(element.dataset.facts ?? '')} />, element)

/** Opens the details of the event that the fragment of the URL names. */
function openTarget(): void {
  // The ids are types of events, which have no characters that a URL encodes.
  const target = document.getElementById(location.hash.slice('#'.length))
  if (target instanceof HTMLDetailsElement) target.open = true
}

openTarget()
addEventListener('hashchange', openTarget)
