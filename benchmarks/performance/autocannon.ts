import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { packageFile } from './packages.ts'

const run = promisify(execFile)

/** A request that is sent again and again. */
export interface LoadRequest {
  path: string
  method?: string
  headers?: Record<string, string>
  body?: string
}

/** For how long requests are sent, or how many. */
export type Extent = { seconds: number } | { requests: number }

/** How many requests are sent at the same time, and how long that goes on. */
export type Pressure = { connections: number } & Extent

/** What a load has measured. */
export interface Load {
  /** The number of responses. */
  responses: number
  requestsPerSecond: number
  /** Milliseconds from a request to its response, in whole milliseconds. */
  p50: number
  p99: number
  /** The number of requests without a response, or with another status than the given one. */
  errors: number
}

/**
 * How long a request may take, in seconds. The local runtime lets the oldest of many requests wait for as long as the load
 * goes on (many-at-once-report.ts), and one that is late is no error.
 */
const TIMEOUT_S = 60

/** The part of the output of autocannon that is used. */
interface Output {
  duration: number
  requests: { total: number }
  latency: { p50: number; p99: number }
  /** Requests without a response, including those that took longer than `TIMEOUT_S`. */
  errors: number
  statusCodeStats: Record<string, { count: number }>
}

/** Sends a request again and again on some connections. The load is a process of its own. */
export async function load(
  url: string,
  { path, method = 'GET', headers = {}, body }: LoadRequest,
  status: number,
  { connections, ...extent }: Pressure,
): Promise<Load> {
  const args = ['--json', '--no-progress', '--connections', String(connections), ...extentArguments(extent)]
  args.push(
    '--timeout',
    String(TIMEOUT_S),
    '--method',
    method,
    ...Object.entries(headers).flatMap(([name, value]) => ['--headers', `${name}:${value}`]),
  )
  if (body !== undefined) args.push('--body', body)
  const program = packageFile('autocannon', 'autocannon.js')
  const { stdout } = await run(process.execPath, [program, ...args, new URL(path, url).href])
  const { duration, requests, latency, errors, statusCodeStats }: Output = JSON.parse(stdout)
  const responses = requests.total
  return {
    responses,
    requestsPerSecond: responses / duration,
    p50: latency.p50,
    p99: latency.p99,
    errors: errors + responses - (statusCodeStats[status]?.count ?? 0),
  }
}

function extentArguments(extent: Extent): string[] {
  return 'seconds' in extent ? ['--duration', String(extent.seconds)] : ['--amount', String(extent.requests)]
}
