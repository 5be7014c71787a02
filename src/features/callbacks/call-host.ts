import { hostOf } from '../../domain/hosts.ts'
import { type CallTarget, MustWait, targetHostOf } from '../../domain/target-host.ts'
import { findBuiltFileRefusal } from '../../http/errors/built-file-refusals.ts'
import type { Services } from '../../services.ts'

/**
 * The host whose limit a call counts towards. The delivery stores the host of its own URL. The host of another URL, such
 * as a token endpoint, is determined here.
 *
 * @throws MustWait if the public suffix list cannot be read. The delivery waits and does not fail, because the receiver
 * is not at fault
 */
export async function callHostOf(url: string, delivery: CallTarget, services: Services): Promise<string> {
  if (isOwnUrl(url, delivery)) return delivery.host
  try {
    return await targetHostOf(url, delivery.origin, services)
  } catch (error) {
    const refusal = error instanceof Error ? findBuiltFileRefusal(error) : undefined
    if (!refusal) throw error
    // Limits apply to a registrable domain, which is unknown without the list. So the delivery waits for the full host
    // name, and deliveries to other names of that domain do not wait.
    const until = new Date(services.now().getTime() + refusal.retryAfterSeconds * 1000)
    throw new MustWait(hostOf(new URL(url)), until)
  }
}

/**
 * Whether a URL is the delivery's own URL. The query is ignored, because the call may have added a credential to it.
 */
function isOwnUrl(url: string, delivery: CallTarget): boolean {
  const [called, own] = [new URL(url), new URL(delivery.url)]
  return called.origin === own.origin && called.pathname === own.pathname
}
