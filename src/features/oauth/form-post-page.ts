import { html, raw } from 'hono/html'
import { FORM_STYLE, formPolicy, renderPage, replyPage } from '../../http/errors/pages.ts'
import type { FileBody, Reply } from '../../http/pipeline/reply.ts'
import { sha256 } from '../../lib/sha256.ts'
import { destinationOf, policySource } from './redirect-uris.ts'

/**
 * The only script on the pages for signing in. It never varies, so the Content-Security-Policy can allow it by its hash
 * and forbid all others.
 */
const SCRIPT = 'document.forms[0].submit()'

/**
 * The page that posts a response to a client automatically (OAuth 2.0 Form Post Response Mode, section 2). If scripts
 * are disabled, the user submits the form.
 */
export async function replyFormPost(
  redirectUri: string,
  fields: readonly (readonly [name: string, value: string])[],
): Promise<Reply<200, FileBody>> {
  const page = await renderPage(
    'Continue to the application',
    html`<h1>Continue to the application</h1>
<p>Your browser continues to <code>${destinationOf(redirectUri)}</code> automatically. If it does not, use the button.</p>
<form method="post" action="${redirectUri}">
${fields.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
<button type="submit">Continue</button>
</form>
<script>${raw(SCRIPT)}</script>`,
    FORM_STYLE,
  )
  const hash = (await sha256(SCRIPT)).toBase64()
  return replyPage(page, `${formPolicy(policySource(redirectUri))}; script-src 'sha256-${hash}'`)
}
