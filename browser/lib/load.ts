import { useLayoutEffect, useRef, useState } from 'hono/jsx/dom'
import { CallFailed } from './api.ts'
import { delayAfter } from './retry-delay.ts'

/** Loaded data. After a failed reload it has both the older data and the error. */
export interface Loaded<Data> {
  data?: Data
  error?: unknown
  /** How many loads have failed since the last one that succeeded. */
  failures: number
  /** Loads again. What is shown stays until the new data are there. */
  reload(): Promise<void>
}

/** Whether a component is mounted. A component that was removed must not be rendered again. */
export function usePresence(): { readonly current: boolean | null } {
  const isPresent = useRef(false)
  // Not `useEffect`, which also runs for a component that was already removed.
  useLayoutEffect(() => {
    isPresent.current = true
    return () => {
      isPresent.current = false
    }
  }, [])
  return isPresent
}

/**
 * Loads data when a component appears, and again when one of `causes` changes.
 *
 * @param load Gets the data; it may reject
 */
export function useLoaded<Data>(load: () => Promise<Data>, causes: readonly unknown[]): Loaded<Data> {
  const [state, setState] = useState<Omit<Loaded<Data>, 'reload'>>({ failures: 0 })
  const isPresent = usePresence()
  const latestLoad = useRef(0)
  const reload = async () => {
    const thisLoad = (latestLoad.current ?? 0) + 1
    latestLoad.current = thisLoad
    const next = await load().then(
      (data) => ({ data }),
      (error: unknown) => ({ error }),
    )
    // If this is not the latest load, its result is dropped.
    if (thisLoad === latestLoad.current && isPresent.current)
      setState((state) =>
        'error' in next ? { ...state, ...next, failures: state.failures + 1 } : { ...next, failures: 0 },
      )
  }
  useLayoutEffect(() => {
    void reload()
  }, causes)
  return { ...state, reload }
}

/** Whether the thing that was loaded does not exist, or does not exist any more. */
export function isGone(error: unknown): boolean {
  return error instanceof CallFailed && (error.response?.status === 404 || error.response?.status === 410)
}

/**
 * Reloads data while the tab can be seen, and at once when it is shown again. After failures it waits longer. It
 * stops if the session has ended, if the data are gone, or if the page has a fault.
 *
 * @param delayMs The wait between two loads that succeed; undefined if nothing will change
 */
export function useRepetition({ error, failures, reload }: Loaded<unknown>, delayMs: number | undefined): void {
  const isOver = isGone(error) || (error instanceof CallFailed && error.isSignedOut)
  const waitMs = isOver || delayMs === undefined ? undefined : delayAfter(error, failures, delayMs)
  const isFailing = failures > 0
  const latest = useRef(reload)
  latest.current = reload
  useLayoutEffect(() => {
    if (waitMs === undefined) return
    const end = new AbortController()
    let timer = 0
    /** Whether data should be loaded: now, or as soon as the tab is shown. */
    let isDue = false
    const startWait = () => {
      clearTimeout(timer)
      isDue = false
      if (!end.signal.aborted) timer = Number(setTimeout(loadIfShown, waitMs))
    }
    const loadIfShown = async () => {
      isDue = true
      if (document.hidden) return
      await latest.current?.()
      startWait()
    }
    // A tab that is shown again loads at once. After a failure, it does so only if the wait is over.
    const followVisibility = () => {
      if (isDue || !isFailing) void loadIfShown()
    }
    document.addEventListener('visibilitychange', followVisibility, { signal: end.signal })
    startWait()
    return () => {
      clearTimeout(timer)
      end.abort()
    }
  }, [waitMs, isFailing])
}
