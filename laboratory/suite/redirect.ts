import { type Body, closed, type DeclaredCase, rfc, text } from './declare.ts'

const body: Body = { mediaType: 'application/json', schema: closed({ name: text }), input: { name: 'blue' } }

/** Cases of redirects, judged at `target` below the case, where the chain ends. */
export const REDIRECT: readonly DeclaredCase[] = [
  {
    name: '301-get',
    level: 'extended',
    title: 'GET is redirected by 301: GET at the target',
    specification: rfc(9110, '15.4.2'),
    redirect: { status: 301, location: 'target', method: 'get' },
  },
  {
    name: '303-post',
    level: 'extended',
    title: 'POST is redirected by 303: GET without a body at the target',
    specification: rfc(9110, '15.4.4'),
    body,
    redirect: { status: 303, location: 'target', method: 'get', body: 'none' },
  },
  {
    name: '307-post',
    level: 'extended',
    title: 'POST is redirected by 307: POST with the body again',
    specification: rfc(9110, '15.4.8'),
    body,
    redirect: { status: 307, location: 'target', method: 'post' },
  },
  {
    name: '308-put',
    level: 'extended',
    title: 'PUT is redirected by 308: PUT with the body again',
    specification: rfc(9110, '15.4.9'),
    method: 'put',
    body,
    redirect: { status: 308, location: 'target', method: 'put' },
  },
  {
    name: 'relative',
    level: 'extended',
    title: 'A Location that is relative, with a query, is resolved',
    specification: rfc(9110, '10.2.2'),
    // The target is below the case.
    rest: '/start',
    redirect: {
      status: 302,
      location: 'target?x=1',
      method: 'get',
      query: { in: 'query', name: 'x', isRequired: true, schema: text, input: '1' },
    },
  },
]
