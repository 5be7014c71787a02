import { type FormsOfGroup, fail, info, nonStrict } from './form.ts'

const PAIRS = fail('a pair for each item', { query: 'color=blue&color=black&color=brown' })
const BRACKETS = fail('brackets after the name', { query: 'color%5B%5D=blue&color%5B%5D=black&color%5B%5D=brown' })
const INDICES = fail('an index after the name', { query: 'color%5B0%5D=blue&color%5B1%5D=black&color%5B2%5D=brown' })
const COMMAS = fail('commas encoded', { query: 'color=blue%2Cblack%2Cbrown' })
const MEMBERS = fail('the name left out', { query: 'R=100&G=200&B=150' })
const DEEP = fail('members in brackets', { query: 'color[R]=100&color[G]=200&color[B]=150' })
const OBJECT = fail('an object as JavaScript prints it', { query: 'color=%5Bobject+Object%5D' })
const NOTHING = fail('nothing sent', { query: '' })

export const QUERY_FORMS: FormsOfGroup = {
  'form-string': [NOTHING, fail('in quotes', { query: 'color=%22blue%22' })],
  'form-array-explode': [BRACKETS, fail('one pair, commas encoded', COMMAS.change), INDICES],
  'form-array': [COMMAS, PAIRS, BRACKETS],
  'form-object-explode': [DEEP, OBJECT],
  'form-object': [DEEP, OBJECT, fail('commas encoded', { query: 'color=R%2C100%2CG%2C200%2CB%2C150' })],
  'space-array': [PAIRS, fail('commas for spaces', COMMAS.change), BRACKETS],
  'space-object': [DEEP, MEMBERS, OBJECT],
  'pipe-array': [nonStrict('bars not encoded', { query: 'color=blue|black|brown' }), PAIRS, BRACKETS],
  'pipe-object': [DEEP, MEMBERS, OBJECT],
  'deep-object': [nonStrict('brackets not encoded', DEEP.change), MEMBERS, OBJECT],
  falsy: [
    fail('the empty text left out', { query: 'flag=false&count=0' }),
    nonStrict('false as 0', { query: 'flag=0&count=0&text=' }),
    fail('everything left out', { query: '' }),
  ],
  omitted: [fail('an empty value', { query: 'color=' }), fail('the word undefined', { query: 'color=undefined' })],
  'boolean-array': [
    fail('brackets after the name', { query: 'flags%5B%5D=true&flags%5B%5D=false' }),
    fail('one pair, commas encoded', { query: 'flags=true%2Cfalse' }),
    nonStrict('1 and 0', { query: 'flags=1&flags=0' }),
  ],
  'single-item': [
    fail('brackets after the name', { query: 'color%5B%5D=blue' }),
    fail('an index after the name', { query: 'color%5B0%5D=blue' }),
  ],
  reserved: [fail('the plus not encoded', { query: 'value=a%26b=c+d%20e/f?g:h@i%j%23k' }), NOTHING],
  utf8: [fail('as Latin-1', { query: 'value=gr%F6%DFe%20%3F%3F%20%3F' }), NOTHING],
  'date-time': [
    fail('the plus not encoded', { query: 'value=2026-02-28T23:30:00+02:00' }),
    fail('the offset without a colon', { query: 'value=2026-02-28T23%3A30%3A00.000000%2B0200' }),
    fail('as Ruby prints it', { query: 'value=2026-02-28%2023%3A30%3A00%20%2B0200' }),
  ],
  date: [
    fail('a date with a time', { query: 'value=2026-02-28T00%3A00%3A00Z' }),
    fail('a day before', { query: 'value=2026-02-27' }),
  ],
  int64: [fail('rounded to a double', { query: 'value=9007199254740992' })],
  number: [
    fail('a float of 32 bits', { query: 'value=0.10000000149011612' }),
    fail('a comma for the point', { query: 'value=0%2C1' }),
  ],
  'comma-item': [
    fail('all commas encoded', { query: 'color=a%2Cb%2Cc' }),
    fail('a pair for each item', { query: 'color=a%2Cb&color=c' }),
    fail('no comma encoded', { query: 'color=a,b,c' }),
  ],
  'allow-reserved': [nonStrict('all characters encoded', { query: 'value=a%2Fb%3Fc%3Ad%40e' }), NOTHING],
  names: [nonStrict('brackets not encoded', { query: 'filter[name]=a&$top=1&a.b=c&gr%C3%B6%C3%9Fe=d' }), NOTHING],
  'reserved-words': [
    fail('names with an underscore', { query: 'class_=a&in_=b&default=c&self=d&body=e' }),
    fail('nothing sent', { query: '' }),
  ],
  'similar-names': [
    fail('one name for both', { query: 'userId=a&userId=b' }),
    fail('one of them left out', { query: 'userId=a' }),
  ],
  'same-name': [
    fail('one value for all places', { query: 'id=1', headers: { id: '1' } }),
    fail('the query left out', { query: '' }),
  ],
  'content-json': [
    fail('an object as JavaScript prints it', { query: 'filter=%5Bobject+Object%5D' }),
    fail('members in brackets', { query: 'filter%5BR%5D=100&filter%5BG%5D%5B0%5D=1&filter%5BG%5D%5B1%5D=2' }),
    fail('nothing sent', { query: '' }),
  ],
  'empty-array': [info('absent', { query: '' }), info('color=', { query: 'color=' })],
  null: [info('absent', { query: '' }), info('null', { query: 'color=null' }), info('color=', { query: 'color=' })],
  default: [info('absent', { query: '' }), info('limit=10', { query: 'limit=10' })],
  'deep-nested': [
    info('brackets for both', { query: 'filter[a][b]=1&filter[c][0]=1&filter[c][1]=2' }),
    info('dots', { query: 'filter%5Ba.b%5D=1&filter%5Bc%5D=1&filter%5Bc%5D=2' }),
    info('JSON', { query: 'filter=%7B%22a%22%3A%7B%22b%22%3A1%7D%2C%22c%22%3A%5B1%2C2%5D%7D' }),
  ],
  'querystring-form': [
    fail('one pair for the list, with commas', { query: 'text=a+b%2Bc%26d&tags=x,y&flag=false' }),
    fail('JSON under the name of the parameter', {
      query:
        'filter=%7B%22text%22%3A%22a%20b%2Bc%26d%22%2C%22tags%22%3A%5B%22x%22%2C%22y%22%5D%2C%22flag%22%3Afalse%7D',
    }),
    fail('the plus not encoded', { query: 'text=a+b+c%26d&tags=x&tags=y&flag=false' }),
  ],
  'querystring-json': [
    fail('under the name of the parameter', {
      query: 'filter=%7B%22text%22%3A%22a%20b%2Bc%22%2C%22tags%22%3A%5B%22x%22%2C%22y%22%5D%2C%22flag%22%3Anull%7D',
    }),
    fail('a plus for the space', {
      query: '%7B%22text%22%3A%22a+b%2Bc%22%2C%22tags%22%3A%5B%22x%22%2C%22y%22%5D%2C%22flag%22%3Anull%7D',
    }),
    nonStrict('braces and brackets not encoded', {
      query: '{%22text%22:%22a%20b%2Bc%22,%22tags%22:[%22x%22,%22y%22],%22flag%22:null}',
    }),
  ],
}
