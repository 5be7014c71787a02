import { type Form, type FormsOfGroup, fail, info, nonStrict } from './form.ts'

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
  raw: [
    fail('percent-encoded', cookie('color=a%252Cb%2F%2B8%3D%3D')),
    fail('decoded', cookie('color=a,b/+8==')),
    fail('in quotes', cookie('color="a%2Cb/+8=="')),
  ],
  'raw-array': [
    fail('ampersands between them', cookie('color=blue&color=black&color=brown')),
    fail('one cookie', cookie('color=blue,black,brown')),
    nonStrict('semicolons without a space', cookie('color=blue;color=black;color=brown')),
  ],
  'raw-array-unexploded': [
    fail('commas encoded', cookie('color=blue%2Cblack%2Cbrown')),
    fail('several cookies', cookie('color=blue; color=black; color=brown')),
  ],
  'percent-encoded': [
    nonStrict('only the semicolon encoded', cookie('color=a b%3Bc,d')),
    fail('nothing encoded', cookie('color=a b;c,d')),
    fail('a plus for the space', cookie('color=a+b%3Bc%2Cd')),
  ],
}
