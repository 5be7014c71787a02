import { renderPage } from '../design/page.tsx'
import type { Index } from '../schemas/service-index.ts'

/** The page at the root of the service, for people. */
export function renderIndexPage({ links }: Index): Promise<string> {
  return renderPage({ title: 'Galaxy', path: '/', content: <IndexContent links={links} /> })
}

function IndexContent({ links: { planets, reference, openapi, openapiYaml } }: Pick<Index, 'links'>) {
  return (
    <>
      <h1>Galaxy</h1>
      <p>
        The reference API for people who build API tools and for people who learn HTTP. The planets are a demonstration,
        but the service is real: it validates, stores and secures what you send.
      </p>
      <ul>
        <li>
          <a href={reference}>API reference</a>: read about the operations and try them out
        </li>
        <li>
          OpenAPI document: <a href={openapi}>JSON</a>, <a href={openapiYaml}>YAML</a>
        </li>
        <li>
          <a href={`${planets}?limit=10`}>Planets</a> as JSON
        </li>
      </ul>
      <h2>Try it</h2>
      <pre>
        <code>
          {[
            `curl ${planets}/4`,
            `curl -H 'Accept: application/xml' ${planets}/4`,
            `curl -i -H 'Prefer: code=503' ${planets}`,
          ].join('\n')}
        </code>
      </pre>
    </>
  )
}
