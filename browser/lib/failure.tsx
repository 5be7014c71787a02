import { CallFailed } from './api.ts'

/** Says what failed and what to do. */
export function Failure({ error }: { error: unknown }) {
  if (!(error instanceof CallFailed)) {
    return (
      <p class="fault" role="alert">
        This page has a fault: {error instanceof Error ? error.message : String(error)}. Reload it. Nothing is lost.
      </p>
    )
  }
  return (
    <p class="fault" role="alert">
      <strong>{error.message}</strong> {error.advice}
    </p>
  )
}
