import { HubNotifier, type NotifierServices } from './hub-notifier.ts'
import type { Connection, HubAccess, HubRefusal } from './subscription.ts'

/** The methods of the Durable Object that is the hub of the common world. */
export interface HubObject extends Rpc.DurableObjectBranded {
  /** Opens a socket: the body is what `HubAccess.connect` takes. 101, or a refusal as JSON. */
  fetch(request: Request): Promise<Response>
  /** Reads the new rows of the log, and sends their events. @returns Whether anybody listens */
  notify(): Promise<boolean>
}

/** The name of the one hub of the common world. */
const NAME = 'common'

/** The header in which a subscription comes to the hub. */
export const SUBSCRIPTION_HEADER = 'x-subscription'

/** The hub of the common world, which is an object elsewhere. */
export function openHub(
  objects: DurableObjectNamespace<HubObject>,
  services: Omit<NotifierServices, 'notifyHub'>,
): HubAccess {
  const hub = () => objects.get(objects.idFromName(NAME))
  const notifier = new HubNotifier({ ...services, notifyHub: async () => await hub().notify() })
  return {
    isHere: false,
    notify: () => notifier.notify(),
    async connect(subscription, start): Promise<Connection> {
      const response = await hub().fetch('https://hub.invalid/', {
        headers: {
          Upgrade: 'websocket',
          [SUBSCRIPTION_HEADER]: encodeURIComponent(JSON.stringify({ subscription, start })),
        },
      })
      if (response.webSocket) return { response }
      const { refusal } = await response.json<{ refusal: HubRefusal }>()
      return { refusal }
    },
  }
}
