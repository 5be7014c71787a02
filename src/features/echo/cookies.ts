import type { JsonValue } from '../../lib/json.ts'
import { groupByName } from './group.ts'

/**
 * All cookies of a `Cookie` header, whatever their names and values contain (RFC 6265, section 5.4). Values are decoded
 * as programs usually encode them: quotes around the whole value are removed, and percent-encoding is decoded. Text
 * without an equals sign is a cookie without a name, as browsers send it (RFC 6265bis, section 5.8.3).
 */
export function readCookies(header: string): Record<string, JsonValue> {
  const pairs = header.split(';').map(trimBlanks)
  return groupByName(pairs.filter((pair) => pair !== '').map(readPair))
}

function readPair(pair: string): [name: string, value: string] {
  const equals = pair.indexOf('=')
  const name = trimBlanks(pair.slice(0, Math.max(equals, 0)))
  const value = trimBlanks(pair.slice(equals + 1))
  return [name, decode(/^"(.*)"$/s.exec(value)?.[1] ?? value)]
}

function trimBlanks(text: string): string {
  return text.replace(/^[ \t]+/, '').replace(/(?<![ \t])[ \t]+$/, '')
}

/** Decodes percent-encoding. A text with any other percent sign is returned unchanged. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
