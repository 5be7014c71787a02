import * as z from 'zod'
import { doc } from '#doc'

const EXAMPLE = {
  id: 'query/reserved',
  operationId: 'queryReserved',
  method: 'GET',
  path: '/query/reserved',
  group: 'query',
  level: 'core',
  title: 'Characters that divide a query are encoded',
  input: { parameters: { query: { value: 'a&b=c+d e/f?g:h@i%j#k' } } },
  wire: 'value=a%26b%3Dc%2Bd%20e%2Ff%3Fg%3Ah%40i%25j%23k',
  specification: 'https://spec.openapis.org/oas/v3.1.2.html#url-percent-encoding',
  versions: ['3.2', '3.1', '3.0'],
}

export const LabCase = z
  .object({
    id: z.string().meta({ description: doc('Group and name') }),
    operationId: z.string().meta({ description: doc('The operation in the documents of the cases') }),
    method: z.string(),
    path: z.string().meta({ description: doc('The path below a bench, as a template') }),
    group: z.string(),
    level: z.string().meta({ description: doc('`core`, `extended` or `open`') }),
    title: z.string(),
    input: z.record(z.string(), z.unknown()).meta({
      description: doc(
        'What to send: `parameters` by place (`querystring` is the whole query) and name, and `body` with `mediaType` and `value`. What JSON cannot say is tagged: `$int64`, `$date`, `$dateTime`, `$bytes` (base64), `$file` with `name`, `type` and `bytes`',
      ),
    }),
    wire: z
      .string()
      .nullable()
      .meta({ description: doc('The form that we would send. Null if there is none') }),
    specification: z.string().meta({ format: 'uri', description: doc('The section that decides the case') }),
    versions: z.array(z.string()).meta({ description: doc('The versions of OpenAPI whose document has the case') }),
    report: z
      .record(z.string(), z.string())
      .optional()
      .meta({
        description: doc(
          'If the PUT of the case carries a small report: where each member is in the response of its GET (`status`, `header:X-Colors`, `body:/title`). Absent if the PUT carries what was decoded',
        ),
      }),
  })
  .meta({ id: 'LabCase', description: doc('A case: one operation with one value to send'), examples: [EXAMPLE] })

export const LabCatalogue = z
  .object({
    suite: z.string().meta({ format: 'date', description: doc('The date of the suite. No case changes its meaning') }),
    cases: z.array(LabCase),
  })
  .meta({
    id: 'LabCatalogue',
    description: doc('The cases of the laboratory'),
    examples: [{ suite: '2026-12-15', cases: [EXAMPLE] }],
  })
export type LabCatalogue = z.infer<typeof LabCatalogue>
