#!/usr/bin/env node
// The command of the package. Plain JavaScript, so that an old Node can say what is wrong.

/** The oldest Node on which the runtime's library runs, and which has SQLite. */
const NEEDED = [22, 13]
/** As in package/command/exit.ts. */
const NODE_TOO_OLD = 6

const [major, minor] = process.versions.node.split('.').map(Number)
if (major < NEEDED[0] || (major === NEEDED[0] && minor < NEEDED[1])) {
  console.error(`galaxy needs Node ${NEEDED.join('.')} or newer, and this is Node ${process.versions.node}.`)
  process.exit(NODE_TOO_OLD)
}

import('../dist/package/command.js')
