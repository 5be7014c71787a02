import type { Reply } from '../../domain/reply.ts'
import { type FileBody, reply } from '../../http/pipeline/reply.ts'
import { definedEntries } from '../../lib/objects.ts'
import type { AuthorizationParameters } from '../../schemas/oauth.ts'
import type { CallingClient } from '../../stores/clients.ts'
import { replyFormPost } from './form-post-page.tsx'
import { addParameters, type ResponseParameters } from './redirect-uris.ts'
import { chooseResponseMode } from './response-modes.ts'

/** The recipient of an authorization response. It is known before the other parameters of the request are checked. */
export interface Addressee {
  client: CallingClient
  redirectUri: string
  parameters: AuthorizationParameters
}

/** A redirect to the client, or a page with a form that posts to it. */
export type ClientResponse = Reply<303, undefined> | Reply<200, FileBody>

/**
 * Sends the user's browser to the client with the parameters of a response or an error, in the response mode of the
 * request. Adds the `state` of the request, and `iss` (RFC 9207).
 */
export async function respondToClient(
  { redirectUri, parameters }: Addressee,
  response: ResponseParameters,
  issuer: string,
): Promise<ClientResponse> {
  const allParameters: ResponseParameters = { ...response, state: parameters.state, iss: issuer }
  const mode = chooseResponseMode(parameters, redirectUri)
  if (mode === 'form_post') return await replyFormPost(redirectUri, definedEntries(allParameters))
  return reply(303, undefined, { Location: addParameters(redirectUri, allParameters, mode) })
}
