import { useEffect } from 'hono/jsx/dom'
import { CallFailed } from './api.ts'

export function Failure({ error }: { error: unknown }) {
  if (!(error instanceof CallFailed)) return <PageFault error={error} />
  return (
    <p class="fault" role="alert">
      <strong>{error.message}</strong> {error.advice}
    </p>
  )
}

/** A bug of the page itself. The details do not help the user, so they are only in the console. */
function PageFault({ error }: { error: unknown }) {
  useEffect(() => console.error(error), [error])
  return (
    <p class="fault" role="alert">
      This page has a fault. Reload it. What you have done is kept, except passwords.
    </p>
  )
}
