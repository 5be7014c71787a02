import { type FormsOfGroup, fail, info } from './form.ts'

const JOINED = fail('joined by an encoded comma', { body: 'tags=a%2Cb' })
const PAIRS = fail('a pair for each item', { body: 'tags=a&tags=b' })
const INDICES = fail('an index after the name', { body: 'tags%5B0%5D=a&tags%5B1%5D=b' })
const BRACKETS = fail('brackets after the name', { body: 'tags%5B%5D=a&tags%5B%5D=b' })

export const FORM_FORMS: FormsOfGroup = {
  text: [fail('JSON under the type of a form', { body: '{"name":"blue","count":3,"flag":true}' })],
  array: [JOINED, INDICES, BRACKETS],
  object: [
    fail('an object as JavaScript prints it', { body: 'color=%5Bobject+Object%5D' }),
    fail('members in brackets', { body: 'color%5BR%5D=100' }),
    fail('as Python prints it', { body: 'color=%7B%27R%27%3A+100%7D' }),
  ],
  'array-unexploded': [JOINED, PAIRS, INDICES],
  'deep-object': [
    fail('an object as JavaScript prints it', { body: 'color=%5Bobject+Object%5D' }),
    fail('as Python prints it', { body: 'color=%7B%27R%27%3A+100%2C+%27G%27%3A+200%7D' }),
    fail('JSON', { body: 'color=%7B%22R%22%3A100%2C%22G%22%3A200%7D' }),
  ],
  space: [PAIRS, JOINED, INDICES],
  pipe: [PAIRS, JOINED, INDICES],
  'json-array': [fail('no JSON', PAIRS.change), JOINED, INDICES],
  reserved: [
    fail('nothing encoded', { body: 'text=a&b=c+d e%f 火' }),
    fail('JSON under the type of a form', { body: '{"text":"a&b=c+d e%f 火"}' }),
  ],
  falsy: [
    fail('the empty text left out', { body: 'flag=false&count=0' }),
    fail('JSON under the type of a form', { body: '{"flag":false,"count":0,"text":""}' }),
  ],
  omitted: [
    fail('an empty value', { body: 'name=blue&tag=' }),
    fail('JSON under the type of a form', { body: '{"name":"blue"}' }),
  ],
  null: [info('absent', { body: '' }), info('empty', { body: 'text=' }), info('null', { body: 'text=null' })],
  'serialized-example': [
    info('serialized', { body: 'text=a%20b' }),
    info('own form', { body: 'text=a+b' }),
    info('other', { body: 'dataValue=%7B%22text%22%3A%22a+b%22%7D' }),
  ],
}
