import type { Route } from '../../http/pipeline/route.ts'
import { getEvent, listEvents } from './event-list.ts'
import { streamPlanetEvents } from './stream-planet-events.ts'
import { triggerEvent } from './trigger.ts'

export const eventRoutes: readonly Route[] = [streamPlanetEvents, listEvents, triggerEvent, getEvent]
