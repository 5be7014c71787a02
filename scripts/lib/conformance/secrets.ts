// Secrets, which reports must not show. Those of requests are noted when they are made. Those of responses are found by
// the names of their members, and by their form.

const noted = new Set<string>()

/** Shorter texts also occur by chance. */
const SECRET_MIN_LENGTH = 6

/** Notes a secret, so that no report shows it. */
export function noteSecret(text: string): void {
  if (text.length >= SECRET_MIN_LENGTH) noted.add(text)
}

/** Members of JSON, and elements of XML, that contain secrets. */
const MEMBERS = 'password|token|key|secret|access_token|refresh_token|id_token|client_secret|code'
const JSON_MEMBER = new RegExp(`("(?:${MEMBERS})"\\s*:\\s*")(?:[^"\\\\]|\\\\.)*`, 'g')
const XML_ELEMENT = new RegExp(`(<(${MEMBERS})>)[^<]*`, 'g')
/** JSON Web Tokens, API keys and signing secrets, wherever they are. */
const KNOWN_FORMS = /eyJ[\w-]+\.[\w-]+\.[\w-]*|glx_\w+|whsec_[\w+/=]+/g

/** A text without secrets. */
export function hideSecrets(text: string): string {
  let hidden = text
  for (const secret of noted) hidden = hidden.replaceAll(secret, '…').replaceAll(encodeURIComponent(secret), '…')
  return hidden.replace(JSON_MEMBER, '$1…').replace(XML_ELEMENT, '$1…').replace(KNOWN_FORMS, '…')
}
