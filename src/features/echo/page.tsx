import { renderPage } from '../../design/page.tsx'
import type { JsonValue } from '../../lib/json.ts'
import type { EchoMessage, EchoWorld } from './message.ts'

/** Maximum length of a value that is shown indented, in characters. Indentation can make a value many times longer. */
const INDENTED_MAX = 64 * 1024

/** An echo as an HTML page. Everything from the request is escaped. */
export async function renderEchoPage(echo: EchoMessage, { linkBase, ...world }: EchoWorld): Promise<string> {
  const title = `${echo.method} ${echo.path}`
  const description = 'The request that you sent: its path, query, headers and body, as they arrived.'
  const page = await renderPage({ title, description, width: 'wide', base: linkBase, content: <Echo echo={echo} /> })
  return page.at(world)
}

function Echo({ echo }: { echo: EchoMessage }) {
  const { method, path, query, authentication, cookies, headers } = echo
  return (
    <>
      <h1>
        <code>
          {method} {path}
        </code>
      </h1>
      <p class="lead">
        This is the request that you sent. To get the same as data, end the path in <code>.json</code> or{' '}
        <code>.xml</code>.
      </p>
      <Members title="Query" members={query} />
      {authentication && <Members title="Authentication" members={authentication} />}
      <Members title="Cookies" members={cookies} />
      <Members title="Headers" members={headers} />
      <Body echo={echo} />
    </>
  )
}

function Members({ title, members }: { title: string; members: Readonly<Record<string, JsonValue>> }) {
  const rows = Object.entries(members).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).map((item) => (
      <tr>
        <th scope="row">{name}</th>
        <td>{formatValue(item)}</td>
      </tr>
    )),
  )
  if (rows.length === 0) return null
  return (
    <>
      <h2>{title}</h2>
      <table class="members">
        <tbody>{rows}</tbody>
      </table>
    </>
  )
}

function Body({ echo: { body, encoding } }: { echo: EchoMessage }) {
  if (body === undefined) return null
  return (
    <>
      <h2>Body{encoding && `, in ${encoding}`}</h2>
      <pre>
        <code>{formatValue(body)}</code>
      </pre>
    </>
  )
}

function formatValue(value: JsonValue): string {
  if (typeof value === 'string') return value
  const text = JSON.stringify(value)
  return text.length > INDENTED_MAX ? text : JSON.stringify(value, null, 2)
}
