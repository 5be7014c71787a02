import { type FileBody, type Reply, reply } from '../../http/pipeline/reply.ts'
import { definedEntries } from '../../lib/objects.ts'
import type { AuthorizationParameters } from '../../schemas/oauth.ts'
import type { CallingClient } from '../../stores/clients.ts'
import { replyFormPost } from './form-post-page.ts'
import { addParameters } from './redirect-uris.ts'
import { chooseResponseMode } from './response-modes.ts'

/** Whom an answer is for: what is known of a request before it is checked. */
export interface Addressee {
  client: CallingClient
  redirectUri: string
  parameters: AuthorizationParameters
}

/** A redirect to the client, or a page with a form that goes there. */
export type Answer = Reply<303, undefined> | Reply<200, FileBody>

/**
 * Sends the user's browser to the client with an answer, an error or not, by the response mode of the request. The
 * request's `state` and who answers (RFC 9207) come along.
 */
export async function answerClient(
  { redirectUri, parameters }: Addressee,
  answer: Readonly<Record<string, string>>,
  issuer: string,
): Promise<Answer> {
  const all = { ...answer, state: parameters.state, iss: issuer }
  const mode = chooseResponseMode(parameters, redirectUri)
  if (mode === 'form_post') return await replyFormPost(redirectUri, definedEntries(all))
  return reply(303, undefined, { Location: addParameters(redirectUri, all, mode) })
}
