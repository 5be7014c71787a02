#!/usr/bin/env node
// The command of the package. Plain JavaScript, so that an old Node can say what is wrong.

const { refuseNode } = require('./needed-node.cjs')

/** As in package/command/exit.ts. */
const NODE_TOO_OLD = 6

const refusal = refuseNode()
if (refusal !== undefined) {
  console.error(refusal)
  process.exit(NODE_TOO_OLD)
}

import('../dist/package/command.js')
