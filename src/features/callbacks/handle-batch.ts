import { CallbackMessage } from '../../schemas/callback-message.ts'
import type { Services } from '../../services.ts'
import { handleMessage } from './handle-message.ts'

/**
 * Starts what each message of a batch asks for, side by side, and waits for none: a receiver that hangs holds up no other.
 * A message is done with at once, because the guarantee is not the queue's: a delivery stays due in the database until its
 * attempt is recorded. What is no message of ours goes on to the dead letters.
 *
 * @param defer Lets work go on after this
 */
export function handleBatch(batch: MessageBatch, services: Services, defer: (work: Promise<void>) => void): void {
  for (const message of batch.messages) {
    const { data } = CallbackMessage.safeParse(message.body)
    if (data) {
      message.ack()
      defer(handleMessage(data, services))
    } else message.retry()
  }
}
