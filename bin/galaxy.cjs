#!/usr/bin/env node
// The command of the package: `galaxy --port 8787` does what `npm start` does in a clone. Plain JavaScript, so that an old
// Node can say what is wrong.

const { mkdirSync, writeFileSync } = require('node:fs')
const { join, resolve } = require('node:path')

/** The oldest Node on which wrangler runs, and which has SQLite. */
const NEEDED = [22, 13]

const [major, minor] = process.versions.node.split('.').map(Number)
if (major < NEEDED[0] || (major === NEEDED[0] && minor < NEEDED[1])) {
  console.error(`galaxy needs Node ${NEEDED.join('.')} or newer, and this is Node ${process.versions.node}.`)
  process.exit(1)
}

// The user's data and secrets. They are not in the folder of the package, which npm replaces and removes.
process.env.GALAXY_HOME ??= resolve('.galaxy')
mkdirSync(process.env.GALAXY_HOME, { recursive: true })
writeFileSync(join(process.env.GALAXY_HOME, '.gitignore'), '*\n')

import('../dist/npx/start.js')
