import { findBuiltFileRefusal } from '../../domain/built-file-refusals.ts'
import { hostOf } from '../../domain/hosts.ts'
import { type CallTarget, MustWait, targetHostOf } from '../../domain/target-host.ts'
import type { Services } from '../../services.ts'

/** The target of a delivery. Its host is null if it is not known yet. */
export type DeliveryTarget = Omit<CallTarget, 'host'> & { host: string | null }

/**
 * The host whose limit a call for a delivery counts towards. That of the delivery's own URL is known already.
 *
 * @throws MustWait if the public suffix list cannot be read, because this is no fault of the receiver
 */
export async function callHostOf(url: string, delivery: DeliveryTarget, services: Services): Promise<string> {
  if (delivery.host !== null && isOwnUrl(url, delivery)) return delivery.host
  try {
    return await targetHostOf(url, delivery.origin, services)
  } catch (error) {
    const refusal = error instanceof Error ? findBuiltFileRefusal(error) : undefined
    if (!refusal) throw error
    // The registrable domain is unknown. The full name only stops this delivery, and others that need the same name.
    const until = new Date(services.now().getTime() + refusal.retryAfterSeconds * 1000)
    throw new MustWait(hostOf(new URL(url)), until)
  }
}

/** Compares without the query, to which a credential may have been added. */
function isOwnUrl(url: string, delivery: DeliveryTarget): boolean {
  const [called, own] = [new URL(url), new URL(delivery.url)]
  return called.origin === own.origin && called.pathname === own.pathname
}
