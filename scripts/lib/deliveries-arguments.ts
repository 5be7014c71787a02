import { parseArgs } from 'node:util'
import { type DataLocation, LOCATION_OPTIONS, LOCATION_USAGE, readLocation } from './data-location.ts'
import { hostForLimits } from './host-for-limits.ts'

export const DELIVERIES_USAGE = `npm run deliveries -- list|replay [--host HOST] [--user E-MAIL|ID] [--since TIME] [--status failed|cancelled]
  [--limit N] [--yes] ${LOCATION_USAGE}
TIME is a date and time such as 2026-11-23T07:00:00Z. replay asks for confirmation. Without a terminal, it requires --yes.`

const COMMANDS = ['list', 'replay'] as const
const STATUSES = ['failed', 'cancelled'] as const

export interface DeliveryFilter {
  status: (typeof STATUSES)[number]
  /** As the column `deliveries.host` has it (`hostForLimits`); undefined for all hosts. */
  host: string | undefined
  /** The e-mail address or the id of their user; undefined for all users. */
  user: string | undefined
  /** When they ended at the earliest. */
  since: Date | undefined
  /** When they ended at the latest. */
  until: Date
}

export interface DeliveriesArguments {
  command: (typeof COMMANDS)[number]
  filter: DeliveryFilter
  /** How many are shown or sent at most. If undefined, `list` shows as many as by default, and `replay` sends all. */
  limit: number | undefined
  isConfirmed: boolean
  location: DataLocation
}

/**
 * @param hasTerminal Whether the command can ask its user
 * @throws Error if an argument is missing or not valid
 */
export function readDeliveriesArguments(args: string[], hasTerminal: boolean, now: Date): DeliveriesArguments {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      ...LOCATION_OPTIONS,
      host: { type: 'string' },
      user: { type: 'string' },
      since: { type: 'string' },
      status: { type: 'string', default: 'failed' },
      limit: { type: 'string' },
      yes: { type: 'boolean', default: false },
    },
  })
  const command = COMMANDS.find((one) => one === positionals[0])
  if (!command || positionals.length > 1) throw new Error('The command must be list or replay')
  const status = STATUSES.find((one) => one === values.status)
  if (!status) throw new Error('--status must be failed or cancelled')
  if (command === 'replay' && !values.yes && !hasTerminal) throw new Error('Without a terminal, --yes is required')
  return {
    command,
    filter: {
      status,
      host: values.host === undefined ? undefined : hostForLimits(values.host),
      user: values.user,
      since: values.since === undefined ? undefined : readTime('--since', values.since),
      until: now,
    },
    limit: values.limit === undefined ? undefined : readLimit(values.limit),
    isConfirmed: values.yes,
    location: readLocation(values),
  }
}

/** A time with its zone. Without one, it would be ambiguous. */
function readTime(option: string, text: string): Date {
  const time = new Date(text)
  if (!/^\d{4}-\d{2}-\d{2}T[\d:.]+(?:Z|[+-]\d{2}:\d{2})$/.test(text) || Number.isNaN(time.getTime())) {
    throw new Error(`${option} must be a date and time such as 2026-11-23T07:00:00Z`)
  }
  return time
}

function readLimit(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new Error('--limit must be a whole number, at least 1')
  return Number(text)
}
