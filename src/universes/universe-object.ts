import type { NewUniverse, Seed } from '../domain/universe.ts'
import type { QueueMessage } from '../schemas/queue-message.ts'

/** The methods of the Durable Object of a universe. Calls usually go to another isolate. */
export interface UniverseObject extends Rpc.DurableObjectBranded {
  /** Serves a request. Its URL is as the client sent it. */
  fetch(request: Request): Promise<Response>
  /** See `UniverseMaker.make`. */
  make(id: string, seed: Seed, hours: number, baseUrl: string): Promise<NewUniverse>
  /**
   * Removes everything of a universe, whether it is complete or unfinished. Repeating this changes nothing.
   *
   * @param id The id of the universe, because the object may not contain the universe any more
   */
  remove(id: string): Promise<void>
  /** Receives a call of this service to an inbox. @returns Undefined if there is no universe in the object */
  callInbox(request: Request): Promise<Response | undefined>
  /** Handles a message of the queue. Does nothing if the universe has ended. */
  handleMessage(message: QueueMessage): Promise<void>
}
