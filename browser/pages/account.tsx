import { render } from 'hono/jsx/dom'
import { Account } from '../account/account.tsx'

// The page /account, for users who have signed in or want to.

const root = document.querySelector<HTMLElement>('#account')
if (root) render(<Account />, root)

// The browser shows the page as the person has left it. Meanwhile another page may have signed somebody else in.
addEventListener('pageshow', ({ persisted }) => {
  if (persisted) location.reload()
})
