// The oldest Node on which the command and the library of the package run: the library of the runtime needs it, and it
// has SQLite. Plain JavaScript, so that an old Node can say what is wrong.

const NEEDED = [22, 13]

/** As it stands in `engines` of the package. */
exports.NEEDED_NODE = NEEDED.join('.')

/** What is wrong with the Node of this process. It is undefined if nothing is. */
exports.refuseNode = function refuseNode() {
  const [major, minor] = process.versions.node.split('.').map(Number)
  if (major > NEEDED[0] || (major === NEEDED[0] && minor >= NEEDED[1])) return undefined
  return `galaxy needs Node ${exports.NEEDED_NODE} or newer, and this is Node ${process.versions.node}.`
}
