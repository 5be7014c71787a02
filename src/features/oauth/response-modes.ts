import { RESPONSE_TYPE, RESPONSE_TYPES, type ResponseMode } from '../../schemas/client.ts'
import type { AuthorizationParameters } from '../../schemas/oauth.ts'
import { invalid } from './authorization-parameters.ts'

type Wanted = Pick<AuthorizationParameters, 'response_type' | 'response_mode'>

/** The modes in which a request can be answered, the default first. A request for no known type is answered like one for a code. */
function possibleModes({ response_type }: Wanted, redirectUri: string): ResponseMode[] {
  const type = RESPONSE_TYPES.find((name) => name === response_type) ?? 'code'
  // A browser calls another application by its address alone: the form would be lost.
  const isPostable = /^https?:/i.test(redirectUri)
  return RESPONSE_TYPE[type].modes.filter((mode) => isPostable || mode !== 'form_post')
}

/** @throws OAuthError invalid_request if the mode that the request asks for cannot be */
export function requireResponseMode(wanted: Wanted, redirectUri: string): void {
  const modes = possibleModes(wanted, redirectUri)
  if (wanted.response_mode === undefined || modes.some((mode) => mode === wanted.response_mode)) return
  throw invalid(`response_mode must be ${modes.join(' or ')} for this request.`)
}

/** How a request is answered. If the mode that it asks for cannot be, the client is told so by the default one. */
export function chooseResponseMode(wanted: Wanted, redirectUri: string): ResponseMode {
  const modes = possibleModes(wanted, redirectUri)
  return modes.find((mode) => mode === wanted.response_mode) ?? modes[0] ?? 'query'
}
