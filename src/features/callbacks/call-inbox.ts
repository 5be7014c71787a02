import { isInInbox, type OwnHosts, type OwnTarget, ownTargetOf } from '../../domain/url-guard.ts'
import type { Services } from '../../services.ts'
import { receiveFromThisService, responseOrFailure } from '../inboxes/receive-from-this-service.ts'

/** A `fetch` that handles calls to the inboxes of this service, in any of its worlds, without the network. */
export function fetchOrCallInbox(services: Services, own: OwnHosts): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init)
    const target = ownTargetOf(request.url, own)
    if (!target || !isInInbox(target.path)) return await services.fetch(input, init)
    return await callInbox(target, request, services)
  }
}

/** Calls an inbox: in this world directly, in another world through `services.otherWorlds`. */
async function callInbox({ universeId }: OwnTarget, request: Request, services: Services): Promise<Response> {
  if (universeId === services.worldId) return await receiveFromThisService(request, services)
  return await responseOrFailure(async () => await services.otherWorlds?.callInbox(universeId, request))
}
