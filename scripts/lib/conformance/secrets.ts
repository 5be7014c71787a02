// What reports must not show. A secret that a request sends is noted when it is made; of those that responses contain, the
// names of members and the usual forms are known.

const noted = new Set<string>()

/** Shorter texts occur by chance. */
const SECRET_MIN = 6

/** Notes a secret, so that no report shows it. */
export function noteSecret(text: string): void {
  if (text.length >= SECRET_MIN) noted.add(text)
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
