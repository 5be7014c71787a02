import { type FormsOfGroup, fail, nonStrict } from './form.ts'

const COMMAS = fail('commas encoded', { path: 'blue%2Cblack%2Cbrown' })
const PYTHON_LIST = fail('a list as Python prints it', { path: '%5B%27blue%27%2C%20%27black%27%2C%20%27brown%27%5D' })
const JAVA_LIST = fail('a list as Java prints it', { path: '%5Bblue%2C%20black%2C%20brown%5D' })
const OBJECT = fail('an object as JavaScript prints it', { path: '[object%20Object]' })
const OBJECT_ENCODED = fail('an object as JavaScript prints it, encoded', { path: '%5Bobject%20Object%5D' })
const SIMPLE_LIST = fail('style ignored', { path: 'blue,black,brown' })
const SIMPLE_OBJECT = fail('style ignored', { path: 'R,100,G,200,B,150' })

export const PATH_FORMS: FormsOfGroup = {
  'simple-string': [
    fail('in quotes', { path: '%22blue%22' }),
    fail('the template stays', { path: '%7Bcolor%7D' }),
    fail('a slash at the end', { path: 'blue/' }),
  ],
  'simple-array': [COMMAS, PYTHON_LIST, JAVA_LIST],
  'simple-array-explode': [COMMAS, PYTHON_LIST, JAVA_LIST],
  'simple-object': [OBJECT, OBJECT_ENCODED],
  'simple-object-explode': [OBJECT, fail('not exploded', { path: 'R,100,G,200,B,150' }), OBJECT_ENCODED],
  'label-string': [fail('style ignored', { path: 'blue' })],
  'label-array': [SIMPLE_LIST, COMMAS, nonStrict('dots for commas', { path: '.blue.black.brown' })],
  'label-array-explode': [SIMPLE_LIST, COMMAS],
  'label-object': [OBJECT, SIMPLE_OBJECT, nonStrict('dots for commas', { path: '.R.100.G.200.B.150' })],
  'label-object-explode': [OBJECT, SIMPLE_OBJECT],
  'matrix-string': [fail('style ignored', { path: 'blue' })],
  'matrix-array': [SIMPLE_LIST, COMMAS],
  'matrix-array-explode': [SIMPLE_LIST, COMMAS],
  'matrix-object': [OBJECT, SIMPLE_OBJECT],
  'matrix-object-explode': [OBJECT, SIMPLE_OBJECT],
  reserved: [
    fail('cut at the question mark', { path: 'a/b' }),
    fail('a plus for the space', { path: 'a%2Fb%3Fc%23d+e%25f' }),
  ],
  utf8: [fail('a plus for the space', { path: 'gr%C3%B6%C3%9Fe+%E7%81%AB%E6%98%9F+%F0%9F%AA%90' })],
  unreserved: [fail('dots and tilde encoded twice', { path: 'a%252Eb-c_d%257Ee' })],
  'comma-item': [
    fail('no comma encoded', { path: 'a,b,c' }),
    fail('all commas encoded', { path: 'a%2Cb%2Cc' }),
    fail('a list as Python prints it', { path: '%5B%27a%2Cb%27%2C%20%27c%27%5D' }),
  ],
  date: [fail('a date with a time', { path: '2026-02-28T00%3A00%3A00%2B00%3A00' })],
  'date-time': [
    fail('seconds left out', { path: '2026-02-28T23%3A30%2B02%3A00' }),
    nonStrict('a space for the T', { path: '2026-02-28%2023%3A30%3A00%2B02%3A00' }),
    fail('as Go prints it', { path: '2026-02-28%2023:30:00%20+0200%20+0200' }),
  ],
  int64: [fail('rounded to a double', { path: '9007199254740992' })],
  two: [fail('in the order of the declaration', { path: 'blue/x/black' })],
  embedded: [fail('the name stays', { path: 'report.%3Aformat' })],
  'allow-reserved': [
    fail('the triple encoded again', { path: 'a%252Fb:c@d;e' }),
    fail('the triple decoded', { path: 'a/b:c@d;e' }),
    nonStrict('reserved characters encoded', { path: 'a%2Fb%3Ac%40d%3Be' }),
  ],
}
