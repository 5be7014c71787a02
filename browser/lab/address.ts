// What the address keeps of the bench, so that its copy opens the same one. The filter of the cases is there too.

/** Null: it is not in the address. */
export interface Kept {
  caseId: string | null
  /** The name of a form. */
  form: string | null
  /** The texts of the fields, if they are no form. */
  request: string | null
}

/** Longer addresses do not survive everywhere. */
const REQUEST_MAX = 2000

const CREDENTIAL = /^[^\n]*(?:authorization|api-?key|token|secret|password)[^\n:]*:/im

export function readAddress(): Kept {
  const params = new URLSearchParams(location.search)
  return { caseId: params.get('case'), form: params.get('form'), request: params.get('request') }
}

export function keepInAddress({ caseId, form, request }: Kept): void {
  const url = new URL(location.href)
  for (const [name, value] of Object.entries({ case: caseId, form, request })) {
    if (value === null) url.searchParams.delete(name)
    else url.searchParams.set(name, value)
  }
  if (url.href !== location.href) history.replaceState(history.state, '', url)
}

/** Why the address does not keep a request; undefined if it does. @param request The texts of the fields */
export function whyNotKept(request: string): string | undefined {
  if (encodeURIComponent(request).length > REQUEST_MAX) return 'it is too long'
  const [head = ''] = request.split('\n\n')
  return CREDENTIAL.test(head.replace(/^.*\n?/, '')) ? 'it may have a credential' : undefined
}
