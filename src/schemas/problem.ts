import { z } from 'zod'

/** A failure of one member of the input. */
export const Fault = z
  .object({
    pointer: z.string().meta({ description: 'JSON Pointer (RFC 6901) to the failing member of the input' }),
    detail: z.string(),
  })
  .meta({ id: 'Fault', description: 'What is wrong with one member of the input' })

/** A problem document (RFC 9457, section 3.1), with one entry in `errors` for each failure of the input. */
export const Problem = z
  .object({
    type: z.url().meta({ description: 'URL of a page that explains this kind of problem' }),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    instance: z.string().meta({ description: 'urn:uuid: and the id of the request' }),
    errors: z.array(Fault).optional(),
  })
  .meta({
    id: 'Problem',
    description: 'What went wrong (RFC 9457, the successor of RFC 7807)',
    xml: { name: 'problem' },
  })

export type Problem = z.infer<typeof Problem>
