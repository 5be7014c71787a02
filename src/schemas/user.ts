import { z } from 'zod'
import { Id, text } from './fields.ts'

const EMAIL_MAX = 254

const name = text(1, 200).meta({ examples: ['Marc', 'Cam', 'Hans'] })

export const User = z
  .object({
    id: Id.meta({ readOnly: true }),
    name: name.optional(),
  })
  .meta({ id: 'User', description: 'A user', xml: { name: 'user' } })

export const Credentials = z
  .object({
    email: z
      .email({ error: ({ input }) => (input === undefined ? undefined : 'must be an e-mail address') })
      .max(EMAIL_MAX, `must have at most ${EMAIL_MAX} characters`)
      .meta({ examples: ['marc@scalar.com', 'cam@scalar.com', 'hans@scalar.com'] }),
    password: z.string().meta({ writeOnly: true, examples: ['i-love-scalar', 'i-love-oss', 'qwerty123'] }),
  })
  .meta({ id: 'Credentials', description: 'Credentials to authenticate a user', xml: { name: 'credentials' } })

/** User and Credentials together; an `id` is ignored like everything else that is not here. */
export const SignUp = Credentials.extend({ name: name.optional() }).meta({ id: 'SignUp', xml: { name: 'user' } })

export const Token = z
  .object({ token: z.jwt().meta({ description: 'A JWT to send as `Authorization: Bearer …`' }) })
  .meta({ id: 'Token', description: 'A token to authenticate a user', xml: { name: 'token' } })

export type User = z.infer<typeof User>
export type Credentials = z.infer<typeof Credentials>
export type SignUp = z.infer<typeof SignUp>
export type Token = z.infer<typeof Token>

/** A user as the API shows one: nothing but the id and, where the user gave one, the name. */
export function presentUser({ id, name }: { id: number; name: string | null }): User {
  return { id, ...(name !== null && { name }) }
}
