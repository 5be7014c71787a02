import * as z from 'zod'

// Messages for members that a schema rejects without giving a message itself. Each message continues a sentence that
// begins with the name of the member ("name" "is required"). No message of the validation library reaches a caller.

type Issue = z.core.$ZodRawIssue

/** The fault of a number that is infinity. The parser also makes -0 and too small numbers infinity (lib/json.ts). */
const NO_DOUBLE =
  'must be a number that a double can represent: not too large, not so small that it becomes 0, and not -0'

/** Registry: the messages. Its type requires one for every kind of issue. */
const WORDS: { [Code in Issue['code']]: (issue: Extract<Issue, { code: Code }>) => string } = {
  invalid_type: describeType,
  invalid_value: ({ values }) => `must be one of ${values.join(', ')}`,
  too_small: ({ origin, minimum, inclusive }) =>
    describeBound(origin, inclusive === false ? 'greater than' : 'at least', minimum),
  too_big: ({ origin, maximum, inclusive }) =>
    describeBound(origin, inclusive === false ? 'less than' : 'at most', maximum),
  not_multiple_of: ({ divisor }) => `must be a multiple of ${divisor}`,
  invalid_format: ({ format, pattern }) =>
    format === 'regex' ? `must match the pattern ${pattern}` : `must have the format ${format}`,
  unrecognized_keys: ({ keys }) => `must not have the properties ${keys.join(', ')}`,
  invalid_key: () => 'has a property name that is not valid',
  invalid_element: () => 'has an item that is not valid',
  invalid_union: () => 'matches none of the documented forms',
  custom: () => 'is not valid',
}

/** The message for an issue that the schema has no message for. */
export function describeIssue(issue: Issue): string {
  if (issue.input === undefined) return 'is required'
  // The cast is safe, because each entry of the table takes the issues of the code that is its key.
  return (WORDS[issue.code] as (issue: Issue) => string)(issue)
}

function describeType({ expected, input }: Extract<Issue, { code: 'invalid_type' }>): string {
  if (typeof input === 'number' && !Number.isFinite(input)) return NO_DOUBLE
  return expected === 'int' ? 'must be an integer' : `must be of type ${expected}, not ${z.util.parsedType(input)}`
}

/** The units that are counted in a value, by its kind. Values of other kinds, such as numbers, are compared. */
const COUNTED: Readonly<Record<string, string>> = { string: 'characters', array: 'items', set: 'items', file: 'bytes' }

function describeBound(origin: string, comparison: string, bound: unknown): string {
  const unit = COUNTED[origin]
  return unit === undefined ? `must be ${comparison} ${bound}` : `must have ${comparison} ${bound} ${unit}`
}
