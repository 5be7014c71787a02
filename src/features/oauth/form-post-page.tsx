import { renderPage, Script } from '../../design/page.tsx'
import { formPolicy } from '../../design/policies.ts'
import type { Reply } from '../../domain/reply.ts'
import { replyPage } from '../../http/pages.ts'
import type { FileBody } from '../../http/pipeline/reply.ts'
import { destinationOf, policySource } from './redirect-uris.ts'

/**
 * The page that posts a response to a client automatically (OAuth 2.0 Form Post Response Mode, section 2). If scripts
 * are disabled, the user submits the form.
 */
export async function replyFormPost(
  redirectUri: string,
  fields: readonly (readonly [name: string, value: string])[],
): Promise<Reply<200, FileBody>> {
  const page = await renderPage({
    title: 'Continue to the application',
    description: 'Returns the result of the sign-in to the application that has asked for it.',
    width: 'form',
    head: <Script name="submit-form" />,
    content: (
      <>
        <h1>Continue to the application</h1>
        <p>
          Your browser continues to <code>{destinationOf(redirectUri)}</code> automatically. If it does not, use the
          button.
        </p>
        <form method="post" action={redirectUri}>
          {fields.map(([name, value]) => (
            <input type="hidden" name={name} value={value} />
          ))}
          <button type="submit">Continue</button>
        </form>
      </>
    ),
  })
  return replyPage(page, `${formPolicy(policySource(redirectUri))}; script-src 'self'`)
}
