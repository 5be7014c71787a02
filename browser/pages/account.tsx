import { render } from 'hono/jsx/dom'
import { Account } from '../account/account.tsx'

// The page /account, for users who have signed in or want to.

const root = document.querySelector<HTMLElement>('#account')
if (root) render(<Account />, root)

// If the browser restores the page from its cache, another user may have signed in on another page since.
addEventListener('pageshow', ({ persisted }) => {
  if (persisted) location.reload()
})
