import { join, resolve } from 'node:path'
import { APPLIED_SQL, listAppliedMigrations, requireKnown } from './applied-migrations.ts'
import { readOrMakeSecrets } from './deploy-secrets.ts'
import { formatCommand, runToleratingFailure, type Step, type Tools } from './deploy-step.ts'
import type { Target } from './deploy-target.ts'
import { Failure } from './failure.ts'
import { ROOT } from './root.ts'
import { queryAll } from './wrangler.ts'

// The steps that create the resources of the Worker, unless they exist.

/**
 * wrangler could create the database with the Worker, but the migrations come before the Worker. This is the first step
 * that changes anything, so it also refuses a database that a later step could not migrate.
 */
export function databaseStep({ environment, database }: Target, { wrangler }: Tools): Step {
  const place = ['--remote', '--env', environment]
  const list = ['d1', 'list', '--json']
  const create = ['d1', 'create', database.name]
  return {
    title: `Create the database ${database.name}`,
    commands: [
      formatCommand(list),
      `${formatCommand(create)}   # if it is missing`,
      `${formatCommand(['d1', 'execute', 'DB', '--yes', '--json', '--command', `"${APPLIED_SQL}"`, ...place])}   # if it exists`,
    ],
    async run() {
      const databases: { name: string }[] = JSON.parse(await wrangler(list))
      if (databases.some(({ name }) => name === database.name)) {
        const applied = await listAppliedMigrations((sql) => queryAll(sql, place, wrangler))
        await requireKnown(applied, `The database ${database.name}`).catch(({ message }) => {
          throw new Failure(`${message} Nothing was deployed.`)
        })
        return 'It exists.'
      }
      await wrangler(create)
      return 'Created.'
    },
  }
}

/** wrangler would create only the queues to which the Worker sends, and not the one for dead letters. */
export function queueStep(queue: string, { wrangler }: Tools): Step {
  const info = ['queues', 'info', queue]
  const create = ['queues', 'create', queue]
  return {
    title: `Create the queue ${queue}`,
    commands: [formatCommand(info), `${formatCommand(create)}   # if it is missing`],
    async run() {
      const description = await runToleratingFailure(wrangler, info, /does not exist/)
      // wrangler describes the first queue that the API finds for the name, so its name is compared.
      if (description?.includes(`Queue Name: ${queue}\n`)) return 'It exists.'
      await wrangler(create)
      return 'Created.'
    },
  }
}

export function secretsStep({ environment, secrets }: Target, { wrangler, secretsFolder }: Tools): Step {
  const list = ['secret', 'list', '--env', environment]
  const upload = ['secret', 'bulk', '--env', environment]
  const folder = join(secretsFolder, environment)
  return {
    title: `Generate and upload the secrets ${secrets.join(' and ')}`,
    commands: [formatCommand(list), `${formatCommand(upload)}   # those that are missing, through its standard input`],
    async run() {
      // There is no Worker before the first deployment. The upload then creates an empty one.
      const present: { name: string }[] = JSON.parse(
        (await runToleratingFailure(wrangler, list, /Worker ".*not found/)) ?? '[]',
      )
      const missing = secrets.filter((secret) => !present.some(({ name }) => name === secret))
      if (missing.length === 0) return 'They exist, and stay as they are.'
      await wrangler(upload, { input: JSON.stringify(await readOrMakeSecrets(resolve(ROOT, folder), missing)) })
      return `Uploaded ${missing.join(' and ')}. Keep ${folder} in a safe place: nobody can read a secret back.`
    },
  }
}
