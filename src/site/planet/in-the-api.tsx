import { formatJson } from '../../design/format-json.ts'
import { snippetsOf } from '../../design/snippets.ts'
import { Code, Tabs } from '../../design/tabs.tsx'
import { COMMON_HEADERS, HEADERS } from '../../http/headers.ts'
import { keysOf } from '../../lib/objects.ts'
import { indentXml } from './indent-xml.ts'
import type { ShownPlanet } from './shown-planet.ts'

/** How to get the planet from the API: the request as code, and its response. */
export function InTheApi({ shown: { url, json, xml, planet } }: { shown: ShownPlanet }) {
  const snippets = snippetsOf({ method: 'GET', url, headers: [] })
  const request = snippets.map(({ language, label, code }) => ({
    id: language,
    label,
    content: <Code label={`The request with ${label}`} code={code} />,
  }))
  const response = [
    {
      id: 'json',
      label: 'JSON',
      content: <Code label="The planet as JSON" code={formatJson(json.text) ?? json.text} />,
    },
    { id: 'xml', label: 'XML', content: <Code label="The planet as XML" code={indentXml(xml.text)} /> },
    { id: 'headers', label: 'Headers', content: <HeaderTable json={json.headers} xml={xml.headers} /> },
  ]
  return (
    <>
      <h3>Request</h3>
      <p>
        <code>GET /planets/{planet.id}</code> needs no account. To get XML, add the header{' '}
        <code>Accept: application/xml</code>.
      </p>
      <Tabs name="language" label="Request" tabs={request} />
      <h3>Response</h3>
      <p>This page adds the line breaks. The API sends the documents without them.</p>
      <Tabs name="format" label="Response" tabs={response} />
    </>
  )
}

/** The headers of the JSON response and of the XML response. Headers that every response has are only named. */
function HeaderTable({ json, xml }: { json: Headers; xml: Headers }) {
  const names = keysOf(HEADERS).filter((name) => json.has(name))
  // The app adds these headers to the responses of all routes later, so `json` does not have them.
  const headersOfEveryResponse = COMMON_HEADERS.common.filter((name) => !json.has(name) && !('hidden' in HEADERS[name]))
  return (
    <>
      <table class="headers">
        <thead>
          <tr>
            <th scope="col">Header</th>
            <th scope="col">JSON</th>
            <th scope="col">XML</th>
          </tr>
        </thead>
        <tbody>
          <HeaderRow name="Content-Type" meaning="The media type of the document" json={json} xml={xml} />
          {names.map((name) => (
            <HeaderRow name={name} meaning={HEADERS[name].description} json={json} xml={xml} />
          ))}
        </tbody>
      </table>
      <p class="hint">
        Every response also has:{' '}
        {headersOfEveryResponse.map((name, index) => (
          <>
            {index > 0 && ', '}
            <code>{name}</code>
          </>
        ))}
        .
      </p>
    </>
  )
}

function HeaderRow({ name, meaning, json, xml }: { name: string; meaning: string; json: Headers; xml: Headers }) {
  const [ofJson, ofXml] = [json.get(name), xml.get(name)]
  return (
    <tr>
      <th scope="row">
        <code>{name}</code>
        <small class="note">{meaning}</small>
      </th>
      <td colspan={ofJson === ofXml ? 2 : 1}>
        <code>{ofJson}</code>
      </td>
      {ofJson !== ofXml && (
        <td>
          <code>{ofXml}</code>
        </td>
      )}
    </tr>
  )
}
