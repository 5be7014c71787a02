// `npm pack` runs this before it packs, and again afterwards. By hand, it only builds what the package contains.
import './stop.ts'

// The secrets are those of the user, so wrangler need not warn that there are none.
process.env.WRANGLER_LOG ??= 'error'
const { layOutPackedFiles, putBackFilesOfClone } = await import('./packed-files.ts')
/** What npm does, and at which step of it. `npm run prepack` packs nothing. */
const { npm_command: command = '', npm_lifecycle_event: step = '' } = process.env

await putBackFilesOfClone()
if (step !== 'postpack') {
  const { buildPackage } = await import('./build-package.ts')
  await buildPackage()
  if (step === 'prepack' && !command.startsWith('run')) await layOutPackedFiles()
}
