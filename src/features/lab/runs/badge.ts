import type { LabReport } from '../../../schemas/lab-run.ts'

const LABEL = 'API client lab'
const COLOURS = { brightgreen: '#2f7d1f', yellow: '#7d6a0a', red: '#b3341f' } as const

/** The result of a run as the endpoint badge of shields.io takes it: how many of the core cases passed. */
export function badgeOf({ core }: LabReport['summary']) {
  const passed = core.pass + core.nonStrict
  const color: keyof typeof COLOURS =
    passed === core.cases ? 'brightgreen' : passed * 2 >= core.cases ? 'yellow' : 'red'
  return { schemaVersion: 1, label: LABEL, message: `${passed} of ${core.cases}`, color } as const
}

const CHARACTER_WIDTH = 7
const PADDING = 10

/** The badge as a picture. It contains no text of a caller. */
export function drawBadge(summary: LabReport['summary']): string {
  const { label, message, color } = badgeOf(summary)
  const widthOf = (text: string) => text.length * CHARACTER_WIDTH + 2 * PADDING
  const left = widthOf(label)
  const right = widthOf(message)
  const write = (text: string, start: number, width: number) =>
    `<text x="${start + width / 2}" y="14" textLength="${width - 2 * PADDING}">${text}</text>`
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${left + right}" height="20" role="img" aria-label="${label}: ${message}">`,
    `<title>${label}: ${message}</title>`,
    `<rect width="${left}" height="20" fill="#333"/>`,
    `<rect x="${left}" width="${right}" height="20" fill="${COLOURS[color]}"/>`,
    `<g fill="#fff" text-anchor="middle" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">`,
    write(label, 0, left),
    write(message, left, right),
    '</g></svg>',
  ].join('')
}
