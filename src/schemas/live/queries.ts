import * as z from 'zod'
import { doc } from '#doc'
import { type EventType, eventTypesOf } from './catalogue.ts'
import type { EventChannelName } from './spec.ts'

// The queries of event channels. Unknown parameters are ignored.

/** The values of `bodyType`, which limits a subscription to the celestial channel to bodies of one type. */
export const BODY_FILTERS = ['planet', 'satellite', 'asteroid', 'comet'] as const

/** A list of types of events in a query: one parameter with commas, a repeated parameter, or both. */
const listOfTypes = (types: readonly EventType[]) => {
  const type = z.enum(types, 'is not a type of event on this channel')
  return z
    .unknown()
    .transform((value) => {
      const parameters = [value].flat()
      const parts = parameters.flatMap((parameter) => String(parameter).split(','))
      return [...new Set(parts)]
    })
    .pipe(z.array(type))
    .meta({ type: 'array', items: { type: 'string', enum: types } })
}

const history = {
  includeHistory: z
    // The value of a parameter that was sent more than once is a list.
    .string('must be sent only once')
    .refine((value) => value === 'true' || value === 'false', 'must be true or false')
    .transform((value) => value === 'true')
    .meta({
      type: 'boolean',
      description: doc(
        'Whether the socket first gets the newest 1,000 events of the log, in the order in which they happened',
      ),
    })
    .default(false),
  lastEventId: z
    .uuid({ error: ({ input }) => (Array.isArray(input) ? 'must be sent only once' : 'must be a UUID') })
    .meta({
      description: doc(
        'The id of the last event that you have. All later events of the log are sent first. If this parameter is present, `includeHistory` is ignored.',
      ),
    })
    .optional(),
}

const eventTypesParameter = (channel: EventChannelName) =>
  listOfTypes(eventTypesOf(channel))
    .meta({ description: doc('Only events of these types. Repeat the parameter, or separate the types by commas.') })
    .optional()

const queryOf = (channel: EventChannelName) => z.object({ ...history, eventTypes: eventTypesParameter(channel) })

export const EVENT_QUERIES = {
  planetEvents: queryOf('planetEvents'),
  userEvents: queryOf('userEvents'),
  systemEvents: queryOf('systemEvents'),
  celestialBodyEvents: queryOf('celestialBodyEvents').extend({
    bodyType: z
      .enum(BODY_FILTERS)
      .meta({
        description: doc(
          'Only events about bodies of this type. `satellite` includes asteroids and comets. A collision is sent if one of its objects has this type.',
        ),
      })
      .optional(),
    minHabitability: z
      .string('must be sent only once')
      // A decimal number without an exponent. -0 is 0.
      .refine(
        (value) => /^(?:[0-9]+(?:\.[0-9]+)?|-0(?:\.0+)?)$/.test(value) && Number(value) <= 1,
        'must be a number from 0 to 1',
      )
      .transform((value) => Number(value) + 0)
      .meta({
        type: 'number',
        minimum: 0,
        maximum: 1,
        description: doc(
          'Only events about planets with at least this habitability index. Planets without an index are left out.',
        ),
      })
      .optional(),
  }),
} as const satisfies Record<EventChannelName, z.ZodObject>

export type ChannelQuery<Channel extends EventChannelName = EventChannelName> = z.infer<(typeof EVENT_QUERIES)[Channel]>

export function isEventChannel(channel: string): channel is EventChannelName {
  return channel in EVENT_QUERIES
}
