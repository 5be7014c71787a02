import { render } from 'hono/jsx/dom'
import { EventsApp } from '../events/app.tsx'

// The page /docs/events. What the script needs to know of the AsyncAPI document is in the page.

const element = document.querySelector<HTMLElement>('#events')
if (element) render(<EventsApp facts={JSON.parse(element.dataset.facts ?? '')} />, element)

/** Shows an event that an address names. It is closed otherwise. */
function openTarget(): void {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)))
  if (target instanceof HTMLDetailsElement) target.open = true
}

openTarget()
addEventListener('hashchange', openTarget)
