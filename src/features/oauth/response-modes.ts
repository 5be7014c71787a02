import { RESPONSE_TYPE, RESPONSE_TYPE_NAMES, type ResponseMode } from '../../schemas/client.ts'
import type { AuthorizationParameters } from '../../schemas/oauth.ts'
import { invalidRequest } from './authorization-parameters.ts'

type RequestedResponse = Pick<AuthorizationParameters, 'response_type' | 'response_mode'>

/** The possible response modes of a request, the default first. An unknown response type has the modes of `code`. */
function possibleModes({ response_type }: RequestedResponse, redirectUri: string): ResponseMode[] {
  const type = RESPONSE_TYPE_NAMES.find((name) => name === response_type) ?? 'code'
  // If the URI opens an application, the application gets only the URI, and the parameters of a form would be lost.
  const isPostable = /^https?:/i.test(redirectUri)
  return RESPONSE_TYPE[type].modes.filter((mode) => isPostable || mode !== 'form_post')
}

/** Checks that the requested response mode is possible, if the request names one. @throws OAuthError invalid_request */
export function requireResponseMode(requested: RequestedResponse, redirectUri: string): void {
  const modes = possibleModes(requested, redirectUri)
  if (requested.response_mode === undefined || modes.some((mode) => mode === requested.response_mode)) return
  throw invalidRequest(`response_mode must be ${modes.join(' or ')} for this request.`)
}

/** The requested response mode if it is possible; otherwise the default, in which the client then gets an error. */
export function chooseResponseMode(requested: RequestedResponse, redirectUri: string): ResponseMode {
  const modes = possibleModes(requested, redirectUri)
  // There is always a default, but the compiler does not know that.
  const [defaultMode = 'query'] = modes
  return modes.find((mode) => mode === requested.response_mode) ?? defaultMode
}
