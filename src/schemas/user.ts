import * as z from 'zod'
import { doc } from '#doc'
import { PASSWORD_MAX, PASSWORD_MIN } from '../domain/limits.ts'
import { Id, IgnoredId, text } from './fields.ts'

/** Maximum length of an e-mail address in characters. */
export const EMAIL_MAX = 254
// A valid e-mail address as HTML defines it (section 4.10.5.1.5), except that the domain must have at least two labels.
const EMAIL =
  /^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+@(?:[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?\.)+[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?$/

/**
 * The addresses that every validator of `format: email` accepts, which the documents promise: in the local part, a dot
 * stands between other characters (RFC 5321, section 4.1.2).
 */
const DOCUMENTED_EMAIL =
  "^[a-zA-Z0-9!#$%&'*+/=?^_`{|}~-]+(?:\\.[a-zA-Z0-9!#$%&'*+/=?^_`{|}~-]+)*@(?:[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?\\.)+[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?$"

// A well-known example of a JWT. This service never accepts it, because its signature is not from a key of the service.
export const EXAMPLE_TOKEN =
  'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIiwiaWF0IjoxNTE2MjM5MDIyfQ.SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c'

const name = text(1, 200).meta({ examples: ['Marc', 'Cam', 'Hans'] })

export const User = z
  .object({
    id: Id,
    name: name.optional(),
  })
  .meta({ id: 'User', description: doc('A user'), xml: { name: 'user' }, examples: [{ id: 2, name: 'Marc' }] })

export const Credentials = z
  .object({
    email: z
      .email({
        pattern: EMAIL,
        // For an absent e-mail address, undefined selects the usual message: the member is required.
        error: ({ input }) => (input === undefined ? undefined : 'must be an e-mail address'),
      })
      .max(EMAIL_MAX, `must have at most ${EMAIL_MAX} characters`)
      .meta({ pattern: DOCUMENTED_EMAIL, examples: ['marc@scalar.com', 'cam@scalar.com', 'hans@scalar.com'] }),
    password: z.string().meta({ writeOnly: true, examples: ['i-love-scalar', 'i-love-oss', 'qwerty123'] }),
  })
  .meta({
    id: 'Credentials',
    description: doc('Credentials to authenticate a user'),
    xml: { name: 'credentials' },
    examples: [{ email: 'marc@scalar.com', password: 'i-love-scalar' }],
  })

// auth/usable-password.ts refuses other lengths, with 422 instead of 400.
const NEW_PASSWORD = { writeOnly: true, minLength: PASSWORD_MIN, maxLength: PASSWORD_MAX }

/** A request for a new account: the members of User and of Credentials. Unknown members are ignored. */
export const SignUp = Credentials.extend({
  password: z.string().meta({ ...NEW_PASSWORD, examples: ['i-love-scalar', 'i-love-oss', 'qwerty123'] }),
  id: IgnoredId,
  name: name.optional(),
}).meta({
  id: 'SignUp',
  description: doc('A new user, with the credentials to authenticate the user'),
  xml: { name: 'user' },
  examples: [
    { name: 'Marc', email: 'marc@scalar.com', password: 'i-love-scalar' },
    { name: 'Cam', email: 'cam@scalar.com', password: 'scalar-is-cool' },
    { name: 'Hans', email: 'hans@scalar.com', password: '5c4l4r' },
  ],
})

export const Token = z
  .object({
    token: z.jwt().meta({ examples: [EXAMPLE_TOKEN], description: doc('A JWT to send as `Authorization: Bearer …`') }),
  })
  .meta({
    id: 'Token',
    description: doc('A token to authenticate a user'),
    xml: { name: 'token' },
    examples: [{ token: EXAMPLE_TOKEN }],
  })

const password = z.string().meta({ writeOnly: true })

export const PasswordChange = z
  .object({
    currentPassword: password.meta({ examples: ['i-love-scalar'] }),
    newPassword: z.string().meta({ ...NEW_PASSWORD, examples: ['i-love-planets'] }),
  })
  .meta({
    id: 'PasswordChange',
    description: doc('A new password and the current password'),
    xml: { name: 'passwordChange' },
    examples: [{ currentPassword: 'i-love-scalar', newPassword: 'i-love-planets' }],
  })

/** Absent members stay unchanged. Unknown members are ignored, as in `SignUp`. */
export const UserPatch = z
  .object({
    id: IgnoredId,
    name: name
      .nullable()
      .optional()
      .meta({ description: doc('The new name; null removes the name') }),
  })
  .meta({
    id: 'UserPatch',
    description: doc('Changes to a user. Absent members stay unchanged.'),
    xml: { name: 'user' },
    examples: [{ name: 'Grace' }],
  })

/**
 * Proof that the owner of an account requests its deletion. It is needed if the credential of the request does not
 * prove this.
 */
export const AccountDeletion = z
  .object({
    password: password
      .meta({ description: doc('The password of the account'), examples: ['i-love-scalar'] })
      .optional(),
  })
  .meta({
    id: 'AccountDeletion',
    description: doc('The proof that the account is yours'),
    xml: { name: 'accountDeletion' },
    examples: [{ password: 'i-love-scalar' }],
  })

export type AccountDeletion = z.infer<typeof AccountDeletion>
export type UserPatch = z.infer<typeof UserPatch>
export type PasswordChange = z.infer<typeof PasswordChange>
export type User = z.infer<typeof User>
export type Credentials = z.infer<typeof Credentials>
export type SignUp = z.infer<typeof SignUp>
export type Token = z.infer<typeof Token>

/** A user as the API shows it: only the id and, if the user has one, the name. */
export function presentUser({ id, name }: { id: number; name: string | null }): User {
  return name === null ? { id } : { id, name }
}
