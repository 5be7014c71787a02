import { table } from './markdown.ts'

// A part of docs/performance.md: what `npm run benchmark -- search` has printed, and what was compared once.

/** For each list: rows read, milliseconds of the database and of the response, with 5,402 planets and with 300,000. */
const FIGURES: readonly (readonly string[])[] = [
  ['`limit=10&offset=100`', '47', '3', '6', '56', '3', '6'],
  ['`limit=100&offset=5000`', '234', '4', '10', '243', '4', '8'],
  ['`name=kepler&limit=10`', '7,311', '5', '10', '301,909', '53', '58'],
  ['`name=no-such-planet`', '10,805', '5', '8', '600,001', '83', '86'],
  ['`type=terrestrial&type=super_earth&minHabitabilityIndex=0.1&limit=100`', '8,648', '4', '10', '303,246', '28', '32'],
  ['`minHabitabilityIndex=0&sort=-habitabilityIndex&limit=100`', '11,209', '5', '10', '600,402', '74', '80'],
  ['`sort=name&limit=100`', '5,803', '6', '11', '300,410', '87', '92'],
  ['`sort=-name&limit=100&offset=5000`', '10,803', '5', '9', '305,410', '102', '108'],
  ['`sort=habitabilityIndex&limit=100`', '5,803', '4', '9', '300,410', '163', '170'],
  ['`name=kepler&limit=10&cursor=…`', '5,442', '3', '7', '300,040', '88', '92'],
  ['`sort=-name&limit=100&cursor=…`', '11,204', '5', '11', '600,400', '181', '187'],
]

/** What lists of planets cost. */
export const FILTERED_LISTS = `## Filtered and sorted lists

\`npm run benchmark -- search\` measures what lists of planets cost: with the shipped planets, and with 300,000, which are
copies of them. The figures are of 2026-11-28, on the machine above, with workerd 1.20261102.1. The requests came one
after the other. "Database" is how long a request waited for the database, and "response" how long it took, in
milliseconds (medians of 11). Each took one round trip.

${table(
  ['`GET /planets?…`', '5,402: rows read', 'database', 'response', '300,000: rows read', 'database', 'response'],
  FIGURES,
)}

Only the first two have neither filter, order nor cursor: they read their page, and what finds it. All others pass over
an index of all planets, once to count and once for the page. So they read at most twice as many rows as there are
planets, and 500.

Lists without filter, order and cursor cost what they cost before there were filters: one round trip, and as many rows.
Compared with the version before, in 9 alternating rounds of 4 seconds with 10 requests at the same time, a page of 10
took 1.00 times (0.82–1.18) as much CPU time, and a page of 100 took 1.04 times (0.91–1.23) as much. Since then, pages
also have an \`ETag\` and \`meta.nextCursor\`.`
