// A docstring says what the name does not. Plugins of Biome (GritQL) match no comments, so this reads the text.

/** Words that say nothing alone. Conditions and quantities are not among them, such as "if", "no", "only" and "every". */
const EMPTY_WORDS = [
  'a an the this that these those it its they their them there',
  'of in on at to for from by with as into about and or',
  'which who whom whose what when where why how whether many much',
  'is are was were be been has have had do does did can may must should will',
  'returns gives gets makes creates use uses used',
].flatMap((line) => line.split(' '))

/** A docstring in one line, with one sentence and no tag. */
const SENTENCE = /^( *)\/\*\* ((?:[^.@]|\.\S)+)\.? \*\/$/

export interface Repetition {
  /** From 1. */
  line: number
  text: string
}

/**
 * Finds the docstrings whose words are all in the line below, in the line that opens the block around them, or in the
 * path of the file.
 */
export function findRepetitions(path: string, source: string): Repetition[] {
  const lines = source.split('\n')
  return lines.flatMap((line, index) => {
    const [, indentation = '', text = ''] = SENTENCE.exec(line) ?? []
    if (text === '') return []
    const opening = lines.slice(0, index).findLast((other) => other.trim() && other.search(/\S/) < indentation.length)
    // What is in quotes is a value, and no name.
    const names = `${lines[index + 1]} ${opening ?? ''}`.replaceAll(/'[^']*'/g, '')
    const known = stemsOf(`${path.replace(/\.\w+$/, '')} ${names}`)
    return stemsOf(text).every((stem) => known.includes(stem)) ? [{ line: index + 1, text }] : []
  })
}

/** `GuardedFetch` and "guarded fetches" have the same stems. */
function stemsOf(text: string): string[] {
  const words =
    text
      .replaceAll(/(?<=[a-z\d])(?=[A-Z])/g, ' ')
      .toLowerCase()
      .match(/[a-z\d]+/g) ?? []
  return words.filter((word) => !EMPTY_WORDS.includes(word)).map((word) => word.replace(/(?:ing|ed|es|e|s)$/, ''))
}
