import type { Refusal } from '../../domain/refusal.ts'
import { NoResultInTime } from '../../lib/within.ts'

const BUSY: Refusal = {
  retryAfterSeconds: 5,
  detail: 'A part of the service is temporarily unavailable. Try again shortly.',
}

/**
 * The message of the runtime about any fault of its own, whichever binding was called: a disk that is full or cannot be
 * read, an object that was lost, a broken connection inside the platform. Only the log of the platform says more. It is
 * never about a wrong call, which gets a message that says what is wrong. (workerd, `makeInternalError` in
 * `src/workerd/jsg/util.c++`.)
 */
const INTERNAL_ERROR = /\binternal error(?:; reference = \w+)?$/

/**
 * The properties that the runtime sets to true on errors of Durable Objects that were not thrown by the code in them
 * (developers.cloudflare.com/durable-objects/best-practices/error-handling).
 */
const OBJECT_FAULTS = ['retryable', 'overloaded', 'durableObjectReset'] as const

/** The refusal for a fault of the platform that no other table knows better; undefined for any other error. */
export function findRuntimeRefusal(error: Error): Refusal | undefined {
  const isPlatformFault =
    error instanceof NoResultInTime ||
    INTERNAL_ERROR.test(error.message) ||
    OBJECT_FAULTS.some((fault) => Reflect.get(error, fault) === true)
  return isPlatformFault ? BUSY : undefined
}
