// The Content-Security-Policies of pages (Content Security Policy Level 3). No page contains an inline script or style,
// and no page requests anything from another host.

const COMMON = "default-src 'none'; style-src 'self'; base-uri 'none'; frame-ancestors 'none'"

/** The policy of a page that has neither scripts nor forms. */
export const TEXT_POLICY = formPolicy("'none'")

/** The policy of a page with a script of this service, which calls the API and shows images. */
export const SCRIPT_POLICY = `${COMMON}; script-src 'self'; connect-src 'self'; img-src 'self' data: blob:; form-action 'self'`

/** @param targets CSP sources that the form may submit to, and that the response may redirect to */
export function formPolicy(targets: string): string {
  return `${COMMON}; img-src data:; form-action ${targets}`
}
