import { get } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { SCHEDULED_PATH } from './closed-entry.ts'

const INTERVAL_MS = 60_000

/** Ctrl-C ends the runtime too, which can break the job off before this process has heard of it. */
const LATE_SIGNAL_MS = 1_000

/**
 * Runs the scheduled job now, and then every minute, as the schedule of a deployment does. Cron triggers do not fire on
 * a local machine. The first run continues what the last stop interrupted.
 *
 * @param cron The text that the runtime requires
 * @param isStopping Whether the service is being stopped, so that a failure is expected
 */
export async function runEveryMinute(baseUrl: string, cron: string, isStopping: () => boolean): Promise<void> {
  const run = async () => {
    const status = await runScheduledJob(baseUrl, cron)
    if (status === 200) return
    await sleep(LATE_SIGNAL_MS, undefined, { ref: false })
    if (!isStopping()) console.error(`The scheduled job (every minute) failed: ${status ?? 'no response'}`)
  }
  setInterval(run, INTERVAL_MS).unref()
  await run()
}

/** Where a GET request runs the scheduled job. @param cron The text that the runtime requires */
export function scheduledUrl(baseUrl: string, cron: string): string {
  return `${baseUrl}${SCHEDULED_PATH}?cron=${cron}`
}

/** @returns The status of the response; undefined if there was none */
function runScheduledJob(baseUrl: string, cron: string): Promise<number | undefined> {
  // The runtime refuses every other host there, that of `--ip` included. `fetch` cannot set the header.
  const options = { headers: { Host: 'localhost' } }
  return new Promise((resolve) => {
    const sent = get(scheduledUrl(baseUrl, cron), options, (response) => {
      response.resume()
      resolve(response.statusCode)
    })
    sent.on('error', () => resolve(undefined))
  })
}
