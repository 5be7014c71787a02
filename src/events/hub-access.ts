import { heldConnections } from './held-connections.ts'
import { HubNotifier, type NotifierServices } from './hub-notifier.ts'
import type { Connection, HubAccess, HubRefusal } from './subscription.ts'

/** The methods of the Durable Object that is the hub of the common world. */
export interface HubObject extends Rpc.DurableObjectBranded {
  /**
   * Opens a socket. The header `SUBSCRIPTION_HEADER` contains the arguments of `HubAccess.connect`. The response has
   * the status 101, or contains a refusal as JSON.
   */
  fetch(request: Request): Promise<Response>
  /** Reads the new rows of the log, and sends their events. @returns Whether anybody listens */
  notify(): Promise<boolean>
}

/** The name of the Durable Object of the hub. The common world has only one hub. */
const HUB_NAME = 'common'

export const SUBSCRIPTION_HEADER = 'x-subscription'

/** Gives access to the hub of the common world, which runs in a Durable Object of its own. */
export function openHub(
  objects: DurableObjectNamespace<HubObject>,
  services: Omit<NotifierServices, 'notifyHub'>,
): HubAccess {
  const hub = () => objects.get(objects.idFromName(HUB_NAME))
  const notifyHub = async () => await hub().notify()
  const notifier = new HubNotifier({ ...services, notifyHub })
  return {
    sharesObjectWithApp: false,
    notify: () => notifier.notify(),
    notifyNow: async () => void (await notifyHub()),
    async connect(subscription, start): Promise<Connection> {
      const { connectionId } = subscription
      // The hub does not read the URL.
      const request = new Request('https://hub.invalid/', {
        headers: {
          Upgrade: 'websocket',
          [SUBSCRIPTION_HEADER]: encodeURIComponent(JSON.stringify({ subscription, start })),
        },
      })
      const response = await (connectionId === null
        ? hub().fetch(request)
        : heldConnections.open(hub(), request, connectionId, services.defer))
      if (response.webSocket) return { response }
      const { refusal } = await response.json<{ refusal: HubRefusal }>()
      return { refusal }
    },
  }
}
