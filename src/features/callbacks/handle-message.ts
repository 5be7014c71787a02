import { rootCause } from '../../lib/root-cause.ts'
import type { CallbackMessage } from '../../schemas/callback-message.ts'
import type { Services } from '../../services.ts'
import { deliver } from './deliver.ts'
import { expand } from './expand.ts'

/** Does what a message asks for. It never throws: what fails here is in the database still, where the sweep finds it. */
export async function handleMessage(message: CallbackMessage, services: Services): Promise<void> {
  try {
    if ('delivery' in message) await deliver(message.delivery, services)
    else await expand(message.event, services)
  } catch (error) {
    const { message: reason, stack } = rootCause(error)
    console.error(JSON.stringify({ event: 'message-failed', message, error: reason, stack }))
  }
}
