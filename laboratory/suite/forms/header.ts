import { type Form, type FormsOfGroup, fail, info } from './form.ts'

const color = (value: string | null): Form['change'] => ({ headers: { 'X-Color': value } })

const OBJECTS = [
  fail('an object as JSON', color('{"R":100,"G":200,"B":150}')),
  fail('an object as JavaScript prints it', color('[object Object]')),
  fail('an object as Ruby prints it', color('{:R=>100, :G=>200, :B=>150}')),
]

export const HEADER_FORMS: FormsOfGroup = {
  string: [fail('in quotes', color('"blue"')), fail('nothing sent', color(null))],
  array: [fail('only the last item', color('brown')), fail('a list as Java prints it', color('[blue, black, brown]'))],
  object: OBJECTS,
  'object-explode': OBJECTS,
  unencoded: [fail('percent-encoded', color('a%2Fb%20c%2520d'))],
  omitted: [fail('an empty value', color('')), fail('the word undefined', color('undefined'))],
  integer: [
    fail('zero left out', { headers: { 'X-Count': null } }),
    fail('an empty value', { headers: { 'X-Count': '' } }),
  ],
  'date-time': [
    fail('seconds left out', { headers: { 'X-Since': '2026-02-28T23:30+02:00' } }),
    fail('as JavaScript prints it', {
      headers: { 'X-Since': 'Sat Feb 28 2026 16:30:00 GMT-0500 (Eastern Standard Time)' },
    }),
    fail('as Ruby prints it', { headers: { 'X-Since': '2026-02-28 23:30:00 +0200' } }),
  ],
  ignored: [
    info('sent', { headers: { Accept: 'application/vnd.galaxy+json' } }),
    info('ignored', { headers: { Accept: 'application/json' } }),
  ],
  utf8: [
    info('encoded', color('gr%C3%B6%C3%9Fe')),
    info('UTF-8', color('gr\\xc3\\xb6\\xc3\\x9fe')),
    info('Latin-1', color('gr\\xf6\\xdfe')),
  ],
}
