import { OWN_PLANETS_MAX, UNIVERSE_LIMITS, type UniverseFigures } from '../domain/universe.ts'

// The contents of a universe are counted and limited by triggers in its own database, which the common world does not
// have. So no query can forget to count, and concurrent requests cannot exceed a limit.

/**
 * The figures that are counted: those with a limit, and other celestial bodies, which count towards the limit of
 * planets.
 */
export type FigureName = keyof UniverseFigures | 'bodies'

/** Rows that are counted. `row` is `new` or `old` in a trigger, or the name of the table. */
interface Count {
  figure: FigureName
  table: string
  /** SQL: how much a row counts; 1 if absent. */
  amount?: (row: string) => string
  /** SQL: whether a row counts; all rows do if absent. */
  isCounted?: (row: string) => string
  /** The column whose changes can start or end the counting of a row. */
  changedBy?: string
  /** Statements that delete rows to make room before a new row is counted. */
  makeRoom?: string
}

/**
 * Rows that have expired no longer exist for callers, so they are deleted to make room. Otherwise they would stay until
 * the next sweep.
 */
const removeExpired = (table: string) => `delete from ${table} where expires_at <= new.created_at;`

/**
 * The oldest deliveries that have ended are deleted to make room: as many as the new row would exceed the limit by. At
 * this time, `used` does not count the new row yet. Foreign keys and triggers delete the attempts and events of these
 * deliveries.
 */
const REMOVE_OLDEST_ENDED = `
  delete from deliveries where id in (
    select id from deliveries where ended_at is not null order by id
    limit (select max(used + 1 - allowed, 0) from universe_figures where name = 'deliveries'));`

/** An image counts as long as a planet shows it. */
const SHOWN_IMAGES = {
  table: 'images',
  isCounted: (row: string) => `${row}.orphaned_at is null`,
  changedBy: 'orphaned_at',
}

/** Registry: the rows that are counted for each figure. */
const COUNTS: readonly Count[] = [
  { figure: 'planets', table: 'planets' },
  // Satellites of a planet or of another body do not count, because each of these has a maximum number of them.
  { figure: 'bodies', table: 'bodies', isCounted: (row) => `coalesce(${row}.planet_id, ${row}.host_id) is null` },
  // An account that was deleted does not count, even if its rows are not removed yet.
  { figure: 'users', table: 'users', isCounted: (row) => `${row}.deleted_at is null`, changedBy: 'deleted_at' },
  { figure: 'images', ...SHOWN_IMAGES },
  { figure: 'imageBytes', ...SHOWN_IMAGES, amount: (row) => `${row}.file_size` },
  { figure: 'deliveries', table: 'deliveries', makeRoom: REMOVE_OLDEST_ENDED },
  { figure: 'inboxes', table: 'inboxes', makeRoom: removeExpired('inboxes') },
  { figure: 'labRuns', table: 'lab_runs', makeRoom: removeExpired('lab_runs') },
]

/** The names of the table of figures and of its triggers begin with this. */
export const FIGURES_PREFIX = 'universe_'
export const FIGURES_TABLE = `${FIGURES_PREFIX}figures`

const CREATE_TABLE = `
create table universe_figures (
  name text primary key not null,
  used integer not null,
  -- null if it has no limit of its own
  allowed integer
) without rowid`

/**
 * The statements that count the contents of a universe, and create the triggers that count and limit all later changes.
 * They run after the migrations and the seed. The planets that exist then do not count towards OWN_PLANETS_MAX.
 */
export function figureStatements(): string[] {
  return [CREATE_TABLE, ...COUNTS.map(countExistingRows), ...COUNTS.flatMap(countChanges), ...REFUSALS]
}

/** The SQL of each limit, for the statement that counts the existing rows. */
const ALLOWED: Readonly<Record<FigureName, number | string>> = {
  ...UNIVERSE_LIMITS,
  planets: `count(*) + ${OWN_PLANETS_MAX}`,
  bodies: 'null',
}

/** The statement that inserts a figure and counts the rows that exist already. */
function countExistingRows({ figure, table, amount = one, isCounted = always }: Count): string {
  const used = `coalesce(sum(${amount(table)}), 0)`
  return `insert into universe_figures select '${figure}', ${used}, ${ALLOWED[figure]} from ${table} where ${isCounted(table)}`
}

/** The triggers that change a figure with every change of its rows. */
function countChanges({ figure, table, amount = one, isCounted = always, changedBy, makeRoom = '' }: Count): string[] {
  const trigger = (name: string, event: string, condition: string, body: string) =>
    `create trigger universe_${figure}_${name} after ${event} on ${table} when ${condition} begin ${body} end`
  const startsOrEnds = `(${isCounted('new')}) <> (${isCounted('old')})`
  const change = `iif(${isCounted('new')}, ${amount('new')}, -${amount('old')})`
  return [
    trigger('counted', 'insert', isCounted('new'), `${makeRoom} ${add(figure, amount('new'))}`),
    trigger('uncounted', 'delete', isCounted('old'), add(figure, `-${amount('old')}`)),
    ...(changedBy === undefined
      ? []
      : [trigger('changed', `update of ${changedBy}`, startsOrEnds, add(figure, change))]),
  ]
}

const one = () => '1'
const always = () => 'true'

function add(figure: FigureName, amount: string): string {
  return `update universe_figures set used = used + ${amount} where name = '${figure}';`
}

/** Undoes the whole batch if a condition is true. db/constraints.ts recognises the text of the error. */
function refuse(figure: FigureName, condition: string): string {
  return `select raise(abort, 'universe limit: ${figure}') where ${condition};`
}

const LIMITED_FIGURES = COUNTS.map(({ figure }) => figure).filter((figure) => ALLOWED[figure] !== 'null')

const usedOf = (figure: FigureName) => `(select used from universe_figures where name = '${figure}')`
const allowedOf = (figure: FigureName) => `(select allowed from universe_figures where name = '${figure}')`
const exceeds = (figure: FigureName, added: string) =>
  `${added} > 0 and ${usedOf(figure)} + ${added} > ${allowedOf(figure)}`

/** The triggers that keep a universe within its limits. */
const REFUSALS = [
  // This trigger and the next one act after a row is written, so a conflict (409) comes first.
  `create trigger universe_full after update of used on universe_figures
  when new.used > new.allowed and new.used > old.used begin
    ${LIMITED_FIGURES.map((figure) => refuse(figure, `new.name = '${figure}'`)).join('\n    ')}
  end`,

  // Other bodies can only use the part of the limit that planets do not use. They never keep planets from reaching the
  // limit: if planets and other bodies together would exceed it, only an insertion of another body is refused.
  `create trigger universe_bodies_full after update of used on universe_figures
  when new.name = 'bodies' and new.used > old.used begin
    ${refuse('bodies', `new.used + ${usedOf('planets')} > ${allowedOf('planets')}`)}
  end`,

  // An upload must be refused before its object is stored. At that time the row of the image is an orphan, which does
  // not count. So this trigger acts on an earlier statement, which asks for room in the account (changes/usage.ts). That
  // statement also subtracts the image that the upload replaces.
  `create trigger universe_images_charged instead of insert on account_charges
  when new.images > 0 or new.image_bytes > 0 begin
    ${refuse('images', exceeds('images', 'new.images'))}
    ${refuse('imageBytes', exceeds('imageBytes', 'new.image_bytes'))}
  end`,

  // A delivery that is made when an event is expanded is not part of a request, so there is nobody to whom an error could
  // be sent. If there is no room, this subscription misses the event. Other subscriptions still get it. Pings and tests
  // are part of a request.
  `create trigger universe_deliveries_missed before insert on deliveries
  when (select expanded_to from events where id = new.event_id) is not null
    and ${usedOf('deliveries')} >= ${allowedOf('deliveries')}
    and not exists (select 1 from deliveries where ended_at is not null) begin
    select raise(ignore);
  end`,
]
