import { type FormsOfGroup, fail, typed } from './form.ts'

const NOTHING = { body: '', ...typed(null) }

/** Requests where the chain ends. A browser sends the one that we would send, whatever it is told. */
export const REDIRECT_FORMS: FormsOfGroup = {
  '301-get': [fail('POST at the target', { method: 'POST', path: 'target' })],
  '303-post': [fail('POST again', { path: 'target' })],
  '307-post': [
    fail('GET for POST', { method: 'GET', path: 'target', ...NOTHING }),
    fail('the body left out', { path: 'target', ...NOTHING }),
  ],
  '308-put': [
    fail('GET for PUT', { method: 'GET', path: 'target', ...NOTHING }),
    fail('the body left out', { path: 'target', ...NOTHING }),
  ],
  relative: [
    fail('the query left out', { path: 'target' }),
    fail('the query twice', { path: 'target', query: 'x=1&x=1' }),
  ],
}
