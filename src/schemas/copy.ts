import * as z from 'zod'
import { doc } from '#doc'
import { UriReference } from './fields.ts'

const OverwriteFlag = z.enum(['T', 'F']).default('T').meta({ id: 'OverwriteFlag' })

/** The headers of COPY (RFC 4918, sections 10.3 and 10.6). */
export const CopyHeaders = z.object({
  Destination: UriReference.meta({
    description: doc(
      'Where the copy is stored: `/planets`, if the service chooses its id, or `/planets/{planetId}`. A path that begins with `/planets` counts from the base URL. Any other reference is resolved against the URL of the request.',
    ),
    examples: ['/planets'],
  }),
  Overwrite: OverwriteFlag.optional().meta({
    description: doc('`F` if an existing planet must not be replaced: then the response is 412'),
  }),
})
