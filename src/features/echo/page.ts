import { html } from 'hono/html'
import { renderPage } from '../../http/errors/pages.ts'
import type { JsonValue } from '../../lib/json.ts'
import type { EchoMessage } from './message.ts'

/** Maximum length of a value that is shown indented, in characters. Indentation can make it many times longer. */
const INDENTED_MAX = 64 * 1024

const STYLE = `
  h1 { font-size: 1.4rem; overflow-wrap: anywhere; }
  table { border-collapse: collapse; width: 100%; }
  th, td { text-align: start; vertical-align: top; padding: 0.35rem 0.75rem 0.35rem 0; border-bottom: 1px solid color-mix(in srgb, currentcolor 15%, transparent); font: 0.95em/1.5 ui-monospace, monospace; overflow-wrap: anywhere; }
  th { width: 30%; min-width: 7rem; font-weight: 600; }
  td, pre { white-space: pre-wrap; }
  pre { overflow-wrap: anywhere; }
`

/** An echo as an HTML page. Everything from the request is escaped. */
export function renderEchoPage(echo: EchoMessage): Promise<string> {
  const { method, path, query, authentication, cookies, headers } = echo
  return renderPage(
    `${method} ${path}`,
    html`<h1><code>${method} ${path}</code></h1>
<p>This is the request that you sent. To get the same as data, end the path in <code>.json</code> or <code>.xml</code>.</p>
${renderTable('Query', query)}
${authentication && renderTable('Authentication', authentication)}
${renderTable('Cookies', cookies)}
${renderTable('Headers', headers)}
${renderBody(echo)}`,
    STYLE,
  )
}

function renderTable(title: string, members: Readonly<Record<string, JsonValue>>) {
  const rows = Object.entries(members).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).map(
      (item) => html`<tr><th scope="row">${name}</th><td>${formatValue(item)}</td></tr>\n`,
    ),
  )
  if (rows.length === 0) return ''
  return html`<h2>${title}</h2>
<table>
${rows}</table>`
}

function renderBody({ body, encoding }: EchoMessage) {
  if (body === undefined) return ''
  return html`<h2>Body${encoding && `, in ${encoding}`}</h2>
<pre><code>${formatValue(body)}</code></pre>`
}

function formatValue(value: JsonValue): string {
  if (typeof value === 'string') return value
  const text = JSON.stringify(value)
  return text.length > INDENTED_MAX ? text : JSON.stringify(value, null, 2)
}
