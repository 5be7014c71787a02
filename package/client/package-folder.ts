import { createRequire } from 'node:module'
import { dirname } from 'node:path'

const require = createRequire(import.meta.url)

export const PACKAGE = dirname(require.resolve('galaxy/package.json'))

/** @throws Error that says which Node is needed, as the command says it, if this one is too old */
export function requireNode(): void {
  const { refuseNode }: { refuseNode(): string | undefined } = require(`${PACKAGE}/bin/needed-node.cjs`)
  const refusal = refuseNode()
  if (refusal !== undefined) throw new Error(refusal)
}
