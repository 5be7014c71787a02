import { type Form, type FormsOfGroup, fail, info } from './form.ts'

const cookie = (value: string | null): Form['change'] => ({ headers: { Cookie: value } })

export const COOKIE_FORMS: FormsOfGroup = {
  string: [fail('no cookie sent', cookie(null))],
  two: [
    fail('a comma between them', cookie('color=blue, size=3')),
    fail('only the last one', cookie('size=3')),
    fail('no cookie sent', cookie(null)),
  ],
  omitted: [fail('an empty value', cookie('color=')), fail('the word undefined', cookie('color=undefined'))],
  array: [
    info('color=blue,black,brown', cookie('color=blue,black,brown')),
    info('encoded commas', cookie('color=blue%2Cblack%2Cbrown')),
    info('several', cookie('color=blue; color=black; color=brown')),
  ],
  encoded: [
    info('percent-encoded', cookie('color=a%20b%3Bc')),
    info('quoted', cookie('color="a bc"')),
    info('raw', cookie('color=a b')),
  ],
}
