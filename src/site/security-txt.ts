import { doc } from '#doc'
import { unknownPath } from '../domain/problems.ts'
import { FileBody, reply } from '../http/pipeline/reply.ts'
import { defineRoute } from '../http/pipeline/route.ts'
import { DAY_MS } from '../lib/time.ts'

const PATH = '/.well-known/security.txt'
const MEDIA_TYPE = 'text/plain'

/**
 * How long the file is valid, from the start of the day (UTC) on which it is read. Less than a year, as RFC 9116
 * (section 2.5.5) recommends.
 */
const VALID_DAYS = 180

/** Where to report abuse and vulnerabilities (RFC 9116). */
export const securityTxt = defineRoute({
  method: 'get',
  path: PATH,
  operationId: 'getSecurityTxt',
  tag: 'Documents',
  summary: 'Get the address for reports',
  description: doc(
    'Returns a text that says where to report abuse and vulnerabilities of this deployment (RFC 9116). The response is 404 if the operator has not configured an address.',
  ),
  since: '2.0.0',
  security: [],
  responses: { 200: { description: doc('The address for reports, as security.txt'), files: [MEDIA_TYPE] } },
  problems: ['not-found'],
  async handle(_, { services: { config }, baseUrl, now }) {
    if (config.reportContact === undefined) throw unknownPath()
    // Without PUBLIC_URL, nothing says which address of the service is the canonical one.
    const canonical = config.publicUrl === undefined ? [] : [`Canonical: ${baseUrl}${PATH}`]
    // The text is the same for a whole day (UTC), so that a cache can revalidate the file.
    const today = Math.floor(now.getTime() / DAY_MS)
    const expires = new Date((today + VALID_DAYS) * DAY_MS).toISOString()
    const lines = [`Contact: ${config.reportContact}`, `Expires: ${expires}`, ...canonical]
    return reply(200, new FileBody(`${MEDIA_TYPE}; charset=utf-8`, `${lines.join('\n')}\n`))
  },
})
