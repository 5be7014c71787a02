import { table } from './markdown.ts'

// A part of docs/performance.md: what `npm run benchmark -- search` has printed, and what was compared once.

/** For each list: rows read, milliseconds of the database and of the response, with 5,402 planets and with 300,000. */
const FIGURES: readonly (readonly string[])[] = [
  ['`limit=10&offset=100`', '47', '2', '5', '56', '2', '5'],
  ['`limit=100&offset=5000`', '234', '3', '7', '243', '4', '8'],
  ['`name=kepler&limit=10`', '5,446', '3', '7', '300,062', '60', '64'],
  ['`name=no-such-planet`', '5,418', '2', '5', '300,025', '42', '45'],
  ['`type=terrestrial&type=super_earth&minHabitabilityIndex=0.1&limit=100`', '5,811', '3', '8', '300,427', '28', '33'],
  ['`minHabitabilityIndex=0&sort=-habitabilityIndex&limit=100`', '6,853', '3', '7', '358,152', '50', '55'],
  ['`name=e&sort=-name&limit=100&offset=2700`', '8,690', '4', '9', '460,280', '117', '122'],
  ['`sort=name&limit=100`', '5,905', '4', '9', '300,512', '76', '81'],
  ['`sort=-name&limit=100&offset=5000`', '10,905', '5', '11', '305,512', '82', '87'],
  ['`sort=habitabilityIndex&limit=100`', '5,905', '4', '9', '300,512', '78', '83'],
  ['`name=kepler&limit=10&cursor=…`', '5,446', '4', '8', '300,062', '67', '71'],
  ['`sort=-name&limit=100&cursor=…`', '11,208', '6', '12', '600,422', '180', '185'],
]

/** What lists of planets cost. */
export const FILTERED_LISTS = `## Filtered and sorted lists

\`npm run benchmark -- search\` measures lists with the shipped planets, and with 300,000 copies of them: rows read, the
wait for the database, and the response, in milliseconds (medians of 11), each with one round trip. The figures are of
2026-11-28, on the machine above, with workerd 1.20261102.1.

${table(
  ['`GET /planets?…`', '5,402: rows read', 'database', 'response', '300,000: rows read', 'database', 'response'],
  FIGURES,
)}

Only the first two have neither filter, order nor cursor: they read their page. All others pass over an index of all
planets once, and over what matches once more if it is sorted: at most twice as many rows as there are planets, and 500.`
