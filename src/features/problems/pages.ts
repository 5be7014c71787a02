import { Hono } from 'hono'
import { html } from 'hono/html'
import type { HonoEnv } from '../../http/context.ts'
import { PROBLEMS, type ProblemCode, unknownPath } from '../../lib/errors.ts'

/** The pages that the `type` of a problem opens (RFC 9457, section 3.1.1). */
export const problemPages = new Hono<HonoEnv>()

problemPages.get('/problems/:code', (c) => {
  const code = c.req.param('code')
  if (!isProblemCode(code)) throw unknownPath()
  const { status, title, meaning } = PROBLEMS[code]
  c.header('Content-Security-Policy', "default-src 'none'; style-src 'unsafe-inline'")
  return c.html(html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title} (${status})</title>
        <style>
          body { font: 1.1rem/1.6 system-ui, sans-serif; max-width: 40rem; margin: 4rem auto; padding: 0 1rem; color-scheme: light dark; }
        </style>
      </head>
      <body>
        <main>
          <p>Galaxy, problem <code>${code}</code></p>
          <h1>${title}</h1>
          <p>Status ${status}. ${meaning}</p>
        </main>
      </body>
    </html>`)
})

function isProblemCode(text: string): text is ProblemCode {
  return Object.hasOwn(PROBLEMS, text)
}
