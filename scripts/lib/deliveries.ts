// Makes sure that a stop ends wrangler too.
import './stop.ts'
import { readArgumentsOr } from './command.ts'
import { confirm } from './confirm.ts'
import { DELIVERIES_USAGE, readDeliveriesArguments } from './deliveries-arguments.ts'
import { countSql, listSql, REASONS, replaySql } from './deliveries-sql.ts'
import { showProgress } from './progress.ts'
import { runCommand } from './run-command.ts'
import { formatNumber } from './world-summary.ts'
import { queryAll, queryThroughWrangler } from './wrangler.ts'

// npm run deliveries -- list|replay [filters] [--limit N] [--yes] [--remote --env NAME | --local [--persist-to DIR]]
// `list` shows deliveries that have ended without success. `replay` makes them due again. The scheduled job of the
// service, which runs every minute, then sends them.

/** How many `list` shows without `--limit`. */
const LISTED_DEFAULT = 100
/** How many `replay` changes in one transaction. */
const REPLAYED_AT_ONCE = 500

const { command, filter, limit, isConfirmed, location } = readArgumentsOr(DELIVERIES_USAGE, () =>
  readDeliveriesArguments(process.argv.slice(2), process.stdin.isTTY, new Date()),
)

await runCommand(command === 'list' ? list : replay)

async function list(): Promise<void> {
  const [counts = [], rows = []] = await queryAll(
    `${countSql(filter)};\n${listSql(filter, limit ?? LISTED_DEFAULT)}`,
    location.target,
  )
  for (const { id, ended, event, user_id: userId, url, error } of rows) {
    // The rest of a URL can contain a secret.
    const host = URL.parse(String(url))?.host ?? 'no valid URL'
    console.log(
      `${id}  ${new Date(Number(ended)).toISOString()}  ${event}  user ${userId}  ${host}  ${error ?? ''}`.trimEnd(),
    )
  }
  console.log(describe(counts.map(readCount)))
}

async function replay(): Promise<void> {
  const counts = (await queryAll(countSql(filter), location.target)).flat().map(readCount)
  const possible = counts.find(({ reason }) => reason === null)?.found ?? 0
  const total = Math.min(possible, limit ?? possible)
  console.log(describe(counts))
  if (total === 0) return console.log('Nothing is sent again.')
  if (!isConfirmed && !(await confirm(`Send ${formatNumber(total)} of them again, oldest first?`))) {
    throw new Error('Nothing is sent again.')
  }
  const done = await replayOldest(total)
  console.log(`${formatNumber(done)} deliveries are due. The service sends them, beginning within a minute.`)
}

/** @returns How many were made due: fewer than the total, if some have changed since they were counted */
async function replayOldest(total: number): Promise<number> {
  const progress = showProgress('Deliveries', total)
  let done = 0
  while (done < total) {
    const sql = replaySql(filter, Math.min(REPLAYED_AT_ONCE, total - done), new Date())
    const { length } = await queryThroughWrangler(location.target)(sql)
    if (length === 0) break
    done += length
    progress.advance(length)
  }
  progress.end()
  return done
}

interface Count {
  /** Why they cannot be sent again; null if they can. */
  reason: keyof typeof REASONS | null
  found: number
}

function readCount({ reason, found }: Record<string, string | number | null>): Count {
  return { reason: reason as Count['reason'], found: Number(found) }
}

function describe(counts: readonly Count[]): string {
  const total = counts.reduce((sum, { found }) => sum + found, 0)
  const possible = counts.find(({ reason }) => reason === null)?.found ?? 0
  const leftOut = counts.flatMap(({ reason, found }) => (reason ? [`${formatNumber(found)} ${REASONS[reason]}`] : []))
  const beginning = `${formatNumber(total)} deliveries ${filter.status === 'failed' ? 'have failed' : 'were cancelled'}, and ${formatNumber(possible)} of them can be sent again.`
  return leftOut.length === 0 ? beginning : `${beginning} The others are left out: ${leftOut.join(', ')}.`
}
