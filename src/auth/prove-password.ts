import { insertHappening } from '../changes/log.ts'
import { write } from '../db/port.ts'
import { KNOWN_MS } from '../domain/known-addresses.ts'
import type { Authentication, LoginAttempt } from '../events/happening.ts'
import { presentUser } from '../schemas/user.ts'
import { countAttempt, forgiveAttempt, isKeyRemembered, judgeAttempt, rememberKey } from '../stores/rate-limits.ts'
import { replaceHash, type StoredUser, selectUserByEmail } from '../stores/users.ts'
import { describeAttempt, eventOriginOf } from './event-origin.ts'
import {
  knownAddressKey,
  passwordLimitOfAddress,
  passwordLimitOfEmail,
  rateLimitHeaders,
  requireWithinLimit,
  spendAttempt,
} from './limits.ts'
import type { YieldTurn } from './password-work.ts'
import { hashPassword, isHashOutdated, verifyPassword } from './passwords.ts'
import type { AuthContext } from './scheme.ts'

export interface PasswordCredentials {
  email: string
  password: string
}

export type ProvedAccount = StoredUser & { passwordHash: string }

/**
 * An unknown e-mail address and a wrong password take the same time. The attempt is counted before the password is
 * checked, so that parallel guesses cannot pass the limit. If the password is right, the attempt for the e-mail address
 * no longer counts. An attempt that was counted before a 503 stays counted.
 *
 * @param attempts Which attempts count for the client's address: all of them, or only failures
 * @param authentication How the user is authenticated if the password is right, for the event `login.attempt`. Absent
 * if the password only proves one request
 * @param admit Throws an error to refuse an account although its password is right. It runs before anything reveals
 * that the password is right
 * @returns The account (undefined if the password is wrong), and the headers with the client address's remaining
 * attempts
 * @throws ProblemError 429 after too many attempts; 503 if too many passwords are being checked
 */
export async function provePassword(
  { email, password }: PasswordCredentials,
  context: AuthContext,
  attempts: 'all' | 'failures',
  authentication?: Authentication,
  admit?: (account: ProvedAccount) => Promise<void>,
): Promise<{ account: ProvedAccount | undefined; headers: Record<string, string> }> {
  const { services, session, clientAddress, now } = context
  const { config, passwordWork } = services
  const { db } = session
  passwordWork.requireRoom(services)
  const addressState = await spendAttempt(session, passwordLimitOfAddress(config, clientAddress), now)
  const headers = rateLimitHeaders(addressState)
  // The attempt for the e-mail address is counted only now, because attempts above the limit of a client address must
  // not use up the limit of an e-mail address.
  const limitOfEmail = passwordLimitOfEmail(config, email)
  const [[countedAttempt], [user]] = await write(session, [countAttempt(limitOfEmail, now), selectUserByEmail(email)])
  const emailState = judgeAttempt(limitOfEmail, countedAttempt, now)
  const addressKey = knownAddressKey(email, clientAddress)
  if (emailState.isExceeded && !(await isKeyRemembered(db, addressKey, now))) requireWithinLimit(emailState)
  const iterations = config.passwordIterations
  const proof = await passwordWork.run((yieldTurn) => verifyAndUpgrade(user, password, iterations, yieldTurn), services)
  if (!proof) {
    // The row of the log is written after the response, so that the response time does not reveal whether the account
    // exists. A row is written even if there is no account, because event ids show how many rows were written.
    if (authentication) services.defer(services.wait(0).then(() => write(session, [insertFailedLogin(user, context)])))
    return { account: undefined, headers }
  }
  const { account, upgradedHash } = proof
  await admit?.(account)
  const addressForgiveness = attempts === 'failures' ? [forgiveAttempt(addressState)] : []
  const knownUntil = new Date(now.getTime() + KNOWN_MS)
  const login = authentication ? [insertLogin(account, judgeLogin(account), context, authentication)] : []
  await write(session, [
    forgiveAttempt(emailState),
    rememberKey(addressKey, knownUntil),
    ...addressForgiveness,
    ...login,
  ])
  if (upgradedHash === undefined) return { account, headers }
  await replaceHash(session, account, upgradedHash)
  return { account: { ...account, passwordHash: upgradedHash }, headers }
}

/** The result of an attempt with the right password. */
function judgeLogin({ suspendedAt }: StoredUser): 'success' | 'account_locked' {
  return suspendedAt === null ? 'success' : 'account_locked'
}

/** The statement that writes a failed attempt. If there is no account, the row has no events. */
function insertFailedLogin(user: StoredUser | undefined, context: AuthContext) {
  if (user) return insertLogin(user, 'invalid_credentials', context)
  return insertHappening({ kind: 'nothing', body: {}, details: {} }, { now: context.now })
}

/** The statement that writes an attempt to sign in to the log. @param authentication For an attempt that succeeds */
function insertLogin(
  user: StoredUser,
  reason: LoginAttempt['reason'],
  context: AuthContext,
  authentication?: Authentication,
) {
  const isSuccess = reason === 'success'
  const details = {
    ...eventOriginOf(isSuccess ? user : undefined, context),
    attempt: describeAttempt(user.email ?? '', reason, context),
    ...(isSuccess && authentication && { authentication }),
  }
  return insertHappening({ kind: 'login', body: presentUser(user), details }, { userId: user.id, now: context.now })
}

/** @returns Undefined if the password is wrong. `upgradedHash` is undefined if the stored hash is not outdated */
async function verifyAndUpgrade(
  user: StoredUser | undefined,
  password: string,
  iterations: number,
  yieldTurn: YieldTurn,
): Promise<{ account: ProvedAccount; upgradedHash: string | undefined } | undefined> {
  const passwordHash = user?.passwordHash ?? null
  const isRight = await verifyPassword(password, passwordHash, iterations, yieldTurn)
  if (!user || !isRight || passwordHash === null) return undefined
  const account = { ...user, passwordHash }
  if (!isHashOutdated(passwordHash, iterations)) return { account, upgradedHash: undefined }
  await yieldTurn()
  return { account, upgradedHash: await hashPassword(password, iterations, yieldTurn) }
}
