// Whether every file names the version of a release, and CHANGELOG.md its day.

/** A file of the project, with its path from the root. */
export interface TextFile {
  path: string
  text: string
}

/** Longest section of a version in CHANGELOG.md: who upgrades reads all of it. */
export const SECTION_MAX_LINES = 120

/** How old the day of a version in CHANGELOG.md may be when it is tagged. */
export const DAYS_MAX = 7

const DAY_MS = 86_400_000

/** Semantic Versioning 2.0.0, without build metadata, which the registry of npm ignores. */
const VERSION = /^(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)(?:-[\da-z-]+(?:\.[\da-z-]+)*)?$/i

export const isVersion = (text: string) => VERSION.test(text)

/** The places of the version in texts: the packed file, and the line that the command prints when it is ready. */
const NAMED_VERSIONS = [/\bgalaxy-(\d+\.\d+\.\d+[\w.-]*?)\.tgz/g, /"pid":\d+,"version":"(\d[^"]*)"/g]

/**
 * What keeps a version from being released.
 *
 * @param files All text files of the project
 * @param today Such as `2026-11-30`, in UTC
 * @returns A sentence for each fault; empty if there is none
 */
export function findVersionFaults(version: string, files: readonly TextFile[], today: string): string[] {
  const textOf = (path: string) => files.find((file) => file.path === path)?.text ?? ''
  const manifest = JSON.parse(textOf('package.json'))
  const lock = JSON.parse(textOf('package-lock.json'))
  const stated = [
    ['package.json', manifest.version],
    ['package-lock.json', lock.version],
    ['package-lock.json, packages', lock.packages?.['']?.version],
  ] as const
  return [
    ...stated.flatMap(([place, found]) => (found === version ? [] : [`${place} has the version ${found}.`])),
    ...files.flatMap((file) => findOtherVersions(version, file)),
    ...findChangelogFaults(version, textOf('CHANGELOG.md'), today),
  ]
}

function findOtherVersions(version: string, { path, text }: TextFile): string[] {
  // What it says of earlier versions stays.
  if (path === 'CHANGELOG.md') return []
  const named = NAMED_VERSIONS.flatMap((pattern) => [...text.matchAll(pattern)])
  return named
    .filter(([, found]) => found !== version)
    .map(({ 0: place, index }) => `${path}:${text.slice(0, index).split('\n').length} has ${place}.`)
}

/** A section of CHANGELOG.md: `## 2.0.0 - 2026-11-30`, and the lines below. */
interface Section {
  title: string
  day: string | undefined
  lines: string[]
}

function readSections(text: string): Section[] {
  return text
    .split(/^## /m)
    .slice(1)
    .map((section) => {
      const [heading = '', ...lines] = section.trimEnd().split('\n')
      const [title = '', day] = heading.split(' - ')
      return { title, day, lines }
    })
}

function findChangelogFaults(version: string, text: string, today: string): string[] {
  const [unreleased, released, ...older] = readSections(text)
  if (unreleased?.title !== 'Unreleased' || released?.title !== version) {
    return [`CHANGELOG.md must begin with "## Unreleased" and "## ${version} - ${today}".`]
  }
  const size = released.lines.length + 1
  return [
    ...(unreleased.lines.some((line) => line !== '') ? ['CHANGELOG.md has changes under "Unreleased".'] : []),
    ...(released.lines.some((line) => line !== '') ? [] : [`CHANGELOG.md says nothing about ${version}.`]),
    ...(size > SECTION_MAX_LINES
      ? [`CHANGELOG.md has ${size} lines about ${version}: ${SECTION_MAX_LINES} at most.`]
      : []),
    ...findDayFaults(released.day, older[0]?.day, today),
  ]
}

function findDayFaults(day: string | undefined, before: string | undefined, today: string): string[] {
  if (day === undefined || !isDay(day)) return [`CHANGELOG.md has no day of the version, but ${day}.`]
  const age = (Date.parse(today) - Date.parse(day)) / DAY_MS
  return [
    ...(age < 0 ? [`CHANGELOG.md has a day that has not come: ${day}. Today is ${today}.`] : []),
    ...(age > DAYS_MAX ? [`CHANGELOG.md has a day that is over ${DAYS_MAX} days old: ${day}. Today is ${today}.`] : []),
    ...(before !== undefined && day < before ? [`CHANGELOG.md has the day ${day} above ${before}.`] : []),
  ]
}

/** Whether a text is a day of the calendar (RFC 3339, full-date). */
function isDay(text: string): boolean {
  const time = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(text) : Number.NaN
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text)
}
