import type { Route } from '../http/pipeline/route.ts'
import { TAGS } from '../http/tags.ts'
import { keysOf } from '../lib/objects.ts'
import { operationSlug } from './operation-anchor.ts'

/**
 * All operations by subject. The API reference replaces this list when its script has loaded. The list is for readers
 * whose browser has not loaded the script yet, or runs no scripts. Its anchors are the same as in the API reference.
 */
export function OperationList({ routes }: { routes: readonly Route[] }) {
  return (
    <div class="operations">
      <h1>Galaxy API reference</h1>
      {/* The script of the page says here why the reference has not started. */}
      <p class="notice" id="not-started" role="status" hidden />
      <noscript>
        <p class="notice">
          To read the details and to try an operation, allow scripts. The document in{' '}
          <a href="/openapi.json">OpenAPI 3.1</a> or <a href="/openapi-3.2.json">OpenAPI 3.2</a> has the same content.
        </p>
      </noscript>
      {keysOf(TAGS)
        .filter((tag) => routes.some((route) => route.tag === tag))
        .map((tag) => (
          <section>
            <h2>{tag}</h2>
            <p>{TAGS[tag]}</p>
            <dl class="terms">
              {routes
                .filter((route) => route.tag === tag)
                .map((route) => (
                  <Operation route={route} />
                ))}
            </dl>
          </section>
        ))}
    </div>
  )
}

function Operation({ route: { tag, method, path, summary } }: { route: Route }) {
  const start = `tag/${tag.toLowerCase().replaceAll(' ', '-')}`
  const anchor = `${start}/${operationSlug(method, path)}`
  // Older links lead to this id.
  const olderAnchor = path.includes('{') ? `${start}/${method.toUpperCase()}${path}` : undefined
  return (
    <div id={anchor}>
      <dt id={olderAnchor}>
        <a href={`#${anchor}`}>
          <code>
            {method.toUpperCase()} {path}
          </code>
        </a>
      </dt>
      <dd>{summary}</dd>
    </div>
  )
}
