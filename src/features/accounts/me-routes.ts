import { doc } from '#doc'
import { eventOriginOf } from '../../auth/event-origin.ts'
import type { Caller } from '../../auth/scheme.ts'
import { ALL_SCHEMES } from '../../auth/schemes.ts'
import { commit } from '../../changes/commit.ts'
import { CredentialEnded } from '../../db/constraints.ts'
import type { Database } from '../../db/port.ts'
import { entity } from '../../http/body/entity.ts'
import {
  isRepresentationWanted,
  makeValidators,
  requireCurrentVersion,
  tagContent,
  type Validators,
  validatorHeaders,
} from '../../http/conditions.ts'
import type { RequestContext } from '../../http/pipeline/context.ts'
import { ALL_FORMATS, type FormatName } from '../../http/pipeline/formats.ts'
import { writeWhatWasRead } from '../../http/pipeline/lost-races.ts'
import { reply } from '../../http/pipeline/reply.ts'
import { defineRoute, type Route } from '../../http/pipeline/route.ts'
import { AccountDeletion, presentUser, User, UserPatch } from '../../schemas/user.ts'
import { stateOfUser } from '../../stores/account-states.ts'
import { type RenamableUser, renameUser, withName } from '../../stores/users.ts'
import { deleteAccount } from './delete-account.ts'

const VALIDATOR_HEADERS = ['ETag', 'Last-Modified'] as const

const getMe = defineRoute({
  method: 'get',
  path: '/me',
  operationId: 'getMe',
  tag: 'Authentication',
  summary: 'Get authenticated user',
  description: doc('Returns the user that your credentials belong to.'),
  // The schemes that the public document (`@scalar/galaxy`) has for this operation.
  security: ['basicAuth', 'oAuth2', 'bearerAuth', 'apiKeyHeader', 'apiKeyQuery'],
  scope: 'read:account',
  responses: {
    200: { description: doc('The authenticated user'), schema: User, headers: VALIDATOR_HEADERS },
    304: { description: doc('The user has not changed'), headers: VALIDATOR_HEADERS },
  },
  problems: ['precondition-failed'],
  async handle({ caller }, context) {
    const { headers, format, now } = context
    const validators = await validatorsOf(caller, format, context)
    if (!isRepresentationWanted(headers, validators, now))
      return reply(304, undefined, validatorHeaders(validators, now))
    return reply(200, presentUser(caller), validatorHeaders(validators, now))
  },
})

const updateMe = defineRoute({
  method: 'patch',
  path: '/me',
  operationId: 'updateMe',
  tag: 'Authentication',
  summary: 'Change your name',
  description: doc(
    'Changes the name of your account; null removes the name. Your planets, satellites and stars show the new name immediately, so their `ETag` and `Last-Modified` change too. Members that you do not send stay unchanged. Unknown members are ignored.',
  ),
  since: '2.0.0',
  security: ALL_SCHEMES,
  scope: 'write:account',
  body: entity(UserPatch),
  responses: { 200: { description: doc('The updated user'), schema: User, headers: VALIDATOR_HEADERS } },
  problems: ['conflict', 'precondition-failed'],
  async handle({ body, caller }, context) {
    const isConditional = await requireSeenUser(caller, context)
    const write = (read: RenamableUser) => rename(read, body, context)
    const reread = (db: Database) => readUser(db, caller)
    const user = await writeWhatWasRead(
      { resource: `user ${caller.id}`, read: caller, isConditional, write, reread },
      context,
    )
    const validators = await validatorsOf(user, context.format, context)
    return reply(200, presentUser(user), validatorHeaders(validators, context.services.now()))
  },
})

/** Writes the name of a user, and reports it unless the user has it already. @throws LostRace, CredentialEnded */
async function rename(
  read: RenamableUser,
  { name }: UserPatch,
  context: Pick<RequestContext, 'session' | 'services' | 'requestId' | 'trace'>,
): Promise<RenamableUser> {
  const { session, services } = context
  // The time of the write, not the time at which the request began, because a body can take long to arrive.
  const now = services.now()
  const isNew = name !== undefined && name !== read.name
  const user = isNew ? withName(read, name, now) : read
  const changes = [{ field: 'name', oldValue: read.name, newValue: user.name }]
  const details = { ...eventOriginOf(read, context), changes }
  await commit(
    { session, services, now },
    {
      ...renameUser(read, user),
      happened: isNew ? { kind: 'profile_updated', body: presentUser(user), details, userId: user.id } : undefined,
    },
  )
  return user
}

/** Reads the caller again. @throws CredentialEnded */
async function readUser(db: Database, { id, passwordGeneration }: Caller): Promise<RenamableUser> {
  const [user] = await db.read(stateOfUser(id, passwordGeneration))
  if (!user) throw new CredentialEnded('the account is gone or has a new password')
  return user
}

const deleteMe = defineRoute({
  method: 'delete',
  path: '/me',
  operationId: 'deleteMe',
  tag: 'Authentication',
  summary: 'Delete your account',
  description: doc(
    'Deletes your account and everything that belongs to it: planets, satellites and stars, images, API keys, OAuth clients and the grants that other users gave them, the grants that you gave, subscriptions, the log of your callbacks, and the signing secret. All credentials stop working immediately, and the e-mail address can be used for a new account. This cannot be undone.\n\nThe request must prove that you are present. One of these is enough:\n\n- Basic authentication\n- the body `{"password": "…"}` with any credential\n- a token from `POST /auth/token` that is at most five minutes old\n- an OAuth access token, if you signed in at most five minutes ago (`auth_time`; a refreshed token keeps the time of the sign-in)\n- a token from another provider that is at most five minutes old\n\nAn API key alone, or a token from the client credentials grant, is not enough. The body is optional, because some clients cannot send a body with DELETE. If you send a password, it must be correct.',
  ),
  since: '2.0.0',
  security: ALL_SCHEMES,
  scope: 'write:account',
  body: entity(AccountDeletion, ALL_FORMATS, { mayBeEmpty: true }),
  responses: { 204: { description: doc('The account was deleted') } },
  problems: ['forbidden', 'precondition-failed', 'too-many-requests'],
  async handle({ body, caller }, context) {
    await requireSeenUser(caller, context)
    await deleteAccount(body, caller, context)
    return reply(204)
  },
})

/** The entity tag and the time of the last change of a user, in one format. */
async function validatorsOf(
  user: RenamableUser,
  format: FormatName,
  context: Pick<RequestContext, 'services'>,
): Promise<Validators> {
  const etag = await tagContent(JSON.stringify(presentUser(user)), format)
  return makeValidators({ etag, lastModified: user.renamedAt ?? user.createdAt }, context)
}

/**
 * Checks that the conditions of the request (such as `If-Match`) name the current version of the user, in any format.
 *
 * @returns Whether the request has a condition other than `If-Match: *`
 * @throws ProblemError 412
 */
async function requireSeenUser(
  user: RenamableUser,
  context: Pick<RequestContext, 'headers' | 'now' | 'services'>,
): Promise<boolean> {
  const current = await Promise.all(ALL_FORMATS.map((format) => validatorsOf(user, format, context)))
  return requireCurrentVersion(context.headers, current, context.now)
}

export const meRoutes: readonly Route[] = [getMe, updateMe, deleteMe]
