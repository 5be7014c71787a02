import { document, PICTURE } from '../../../service/in-browser.ts'
import { ownAddress } from '../../../service/own-address.ts'
import type { World } from '../../../service/world.ts'
import type { DocumentedOperation } from '../../../support/reference-page.ts'

/** A request as an importer made it, without the parts that it did not enable. */
export interface ImportedRequest {
  method: string
  /**
   * The path as it is in the document, such as `/planets/{planetId}`. Postman writes what comes before it at a server
   * of its own, such as `/u/{universe}`.
   */
  path: string
  /** Values of the path parameters. */
  parameters: Record<string, string>
  query: [name: string, value: string][]
  headers: [name: string, value: string][]
  body:
    | { kind: 'none' }
    | { kind: 'text'; text: string }
    | { kind: 'form'; fields: [string, string][] }
    | { kind: 'file'; part: string }
  auth: 'none' | 'bearer' | 'basic' | 'oauth2'
}

/** Sends a request as it was imported, with ids, credentials and forms filled in. */
export async function sendImported(
  url: string,
  request: ImportedRequest,
  operation: DocumentedOperation,
  world: World,
): Promise<Response> {
  const own = await world.parametersOf(operation)
  const parameters = { ...request.parameters, ...own }
  // In Bruno, each server of the document is an environment, and its user chooses that of the universe.
  const isComplete = request.path.startsWith(operation.server)
  const path = (isComplete ? request.path : operation.server + request.path).replaceAll(/\{(\w+)\}/g, (_, name) =>
    encodeURIComponent(parameters[name] ?? ''),
  )
  // The user knows the ids in the query too.
  const query = request.query.map(([name, value]): [string, string] => [name, name === 'planetId' ? '1' : value])
  const target = new URL(path, url)
  target.search = new URLSearchParams(query).toString()
  const { body, isForm } = await bodyOfRequest(request, operation, world)
  const headers = new Headers(request.headers.filter(([name]) => !(isForm && name.toLowerCase() === 'content-type')))
  // Bruno sends every JSON as application/json, until its user sets the header.
  const [type] = operation.bodyTypes
  if (type?.endsWith('-patch+json')) headers.set('Content-Type', type)
  for (const [name, value] of Object.entries(ownAddress())) headers.set(name, value)
  if (request.auth !== 'none') headers.set('Authorization', (await world.credentialsFor(operation))[request.auth])
  return await fetch(target, { method: request.method, headers, body, redirect: 'manual' })
}

/** Whether Postman has left something to be filled in: `<string>`, or the names `key_0` of a map. */
function hasPlaceholder(json: string): boolean {
  return /"<[^"]+>"|"key_\d+"/.test(json)
}

/** The values that a user finds in the documentation and fills in. */
function exampleOf({ path, method }: DocumentedOperation): object {
  const [media] = Object.values(document.paths[path][method].requestBody.content)
  const [example] = Object.values<unknown>(Object(media).examples)
  return Object(example).value
}

async function bodyOfRequest({ body }: ImportedRequest, operation: DocumentedOperation, world: World) {
  switch (body.kind) {
    case 'none':
      return { body: null, isForm: false }
    case 'text': {
      const own = world.bodyOf(operation) ?? (hasPlaceholder(body.text) ? exampleOf(operation) : undefined)
      return { body: own ? JSON.stringify(own) : body.text, isForm: false }
    }
    case 'form': {
      // A placeholder that the user does not fill in is not sent; an empty field is.
      const fields = body.fields.filter(([, value]) => value === '')
      return {
        body: new URLSearchParams({ ...Object.fromEntries(fields), ...(await world.formOf(operation)) }),
        isForm: true,
      }
    }
    case 'file': {
      const form = new FormData()
      form.set(body.part, new Blob([PICTURE]))
      return { body: form, isForm: true }
    }
  }
}
