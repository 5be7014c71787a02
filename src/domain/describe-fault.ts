import type { Fault } from './problems.ts'

/** Writes a fault as a sentence, for readers who see no pointers. For example: "satellites/0/name: is required." */
export function describeFault({ pointer, detail }: Fault): string {
  // An empty pointer leads to the whole body.
  return pointer === '' ? `The body ${detail}.` : `${pointer.slice('/'.length)}: ${detail}.`
}
