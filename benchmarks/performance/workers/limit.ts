import { DurableObject } from 'cloudflare:workers'

// The limit: what the runtime and its database cost a Worker that does hardly anything. A planet is a text, which is
// stored as it was sent and sent as it was stored, and a page is its texts in a row. Nothing is checked: neither what
// is sent nor by whom.

interface LimitEnv {
  DB: D1Database
}

// No request of the benchmark reaches an object, but the configuration, which is that of Galaxy, names their classes.
export class Universe extends DurableObject {}
export class EventHub extends DurableObject {}

const FIRST_TAG = '"1"'

const worker: ExportedHandler<LimitEnv> = {
  async fetch(request, { DB }) {
    const { pathname, searchParams } = new URL(request.url)
    if (pathname === '/') return new Response('ready')
    if (request.method === 'PUT') return await store(DB, await request.json())
    if (request.method === 'POST') return await create(DB, request)
    if (pathname === '/planets')
      return await list(DB, Number(searchParams.get('limit')), Number(searchParams.get('offset')))
    return await find(DB, Number(pathname.slice('/planets/'.length)), request)
  },
}

/** Makes the tables, and stores planets of Galaxy under their ids. */
async function store(DB: D1Database, planets: readonly { id: number }[]): Promise<Response> {
  const insert = DB.prepare('insert or ignore into planets (id, text, tag) values (?, ?, ?)')
  await DB.batch([
    DB.prepare('create table planets (id integer primary key, text text not null, tag text not null)'),
    DB.prepare('create table totals (planets integer not null)'),
    DB.prepare('insert into totals values (0)'),
    ...planets.map((planet) => insert.bind(planet.id, JSON.stringify(planet), FIRST_TAG)),
  ])
  return new Response(null, { status: 204 })
}

async function find(DB: D1Database, id: number, request: Request): Promise<Response> {
  const query = DB.prepare('select text, tag from planets where id = ?').bind(id)
  const row = await query.first<{ text: string; tag: string }>()
  if (!row) return new Response(null, { status: 404 })
  const headers = { 'Content-Type': 'application/json', ETag: row.tag }
  if (request.headers.get('If-None-Match')?.includes(row.tag)) return new Response(null, { status: 304, headers })
  return new Response(row.text, { headers })
}

async function list(DB: D1Database, limit: number, offset: number): Promise<Response> {
  const query = DB.prepare('select text from planets where id > ? order by id limit ?').bind(offset, limit)
  const { results } = await query.all<{ text: string }>()
  const data = results.map(({ text }) => text).join()
  const meta = JSON.stringify({ limit, offset, total: results.length, next: null })
  return new Response(`{"data":[${data}],"meta":${meta}}`, { headers: { 'Content-Type': 'application/json' } })
}

/** Two round trips, as a request with a credential needs: one that would check it, and one that writes. */
async function create(DB: D1Database, request: Request): Promise<Response> {
  const text = await request.text()
  await DB.prepare('select id, tag from planets where id = ?').bind(1).first()
  const [inserted] = await DB.batch([
    DB.prepare('insert into planets (text, tag) values (?, ?)').bind(text, FIRST_TAG),
    DB.prepare('update totals set planets = planets + 1'),
  ])
  const type = request.headers.get('Content-Type') ?? ''
  const headers = { 'Content-Type': type, Location: `/planets/${inserted?.meta.last_row_id}` }
  return new Response(text, { status: 201, headers })
}

export default worker
