import { isForPeople, isPage } from '../../src/http/pipeline/route-facts.ts'
import type { LocatedRoute } from './read-routes.ts'

/** Which part of the surface: what programs use, what browsers show, the laboratory. `/` belongs to two of them. */
export const PARTS = ['users', 'pages', 'lab'] as const
export type Part = (typeof PARTS)[number]

/** A line of the surface. */
export interface Line {
  method: string
  path: string
  operation: string
  file: string
  parts: readonly Part[]
}

/** Paths that answer any method before the routes do (src/app.ts), and what answers. */
const BEFORE_ROUTES: readonly Line[] = [
  line('/assets/*', 'answerAsset', 'src/site/assets.ts', 'pages'),
  line('/echo/*', 'answerEcho', 'src/features/echo/answer.ts', 'users'),
  line('/inboxes/{inboxId}/*', 'receiveRequest', 'src/features/inboxes/receive.ts', 'users'),
  line('/lab/try/{group}/{name}/*', 'answerBench', 'src/features/lab/bench.ts', 'lab'),
  line('/lab/runs/{runId}/{group}/{name}/*', 'answerBench', 'src/features/lab/bench.ts', 'lab'),
]

function line(path: string, operation: string, file: string, part: Part): Line {
  return { method: 'any', path, operation, file, parts: [part] }
}

/** @returns A line for each route, and for each path that is answered before */
export function linesOf(routes: readonly LocatedRoute[]): Line[] {
  const declared = routes.map(({ route, file }) => ({
    method: route.opensSocket ? 'ws' : route.method,
    path: route.path,
    operation: route.operationId,
    file,
    parts: partsOf({ route, file }),
  }))
  return [...declared, ...BEFORE_ROUTES]
}

function partsOf({ route, file }: LocatedRoute): Part[] {
  const hasPage = Object.values(route.responses).some(({ files = [] }) => files.some(isPage))
  const isLaboratory = groupOf(file) === 'lab'
  return [
    ...(isLaboratory || (isForPeople(route) && !route.opensSocket) ? [] : (['users'] as const)),
    ...(hasPage ? (['pages'] as const) : []),
    ...(isLaboratory ? (['lab'] as const) : []),
  ]
}

/** The feature of a file, or the layer of it. */
const groupOf = (file: string) => /^src\/(?:features\/)?([\w-]+)/.exec(file)?.[1] ?? ''

/**
 * Prints lines in columns below the names of their features, in the order in which these come first.
 *
 * @param parts Only lines of these; all lines if there are none
 */
export function printLines(lines: readonly Line[], parts: readonly Part[]): string {
  const chosen = parts.length === 0 ? lines : lines.filter((line) => line.parts.some((part) => parts.includes(part)))
  const pad = (column: 'method' | 'path' | 'operation') => {
    const width = Math.max(...chosen.map((line) => line[column].length))
    return (line: Line) => line[column].padEnd(width)
  }
  const [method, path, operation] = [pad('method'), pad('path'), pad('operation')]
  const print = (line: Line) => `  ${method(line).toUpperCase()}  ${path(line)}  ${operation(line)}  ${line.file}\n`
  const groups = Map.groupBy(chosen, ({ file }) => groupOf(file))
  return Array.from(groups, ([group, members]) => `${group}\n${members.map(print).join('')}`).join('\n')
}
