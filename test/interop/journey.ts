import { execFile } from 'node:child_process'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, inject } from 'vitest'
import { type Command, folderOf, type LanguageName } from './languages.ts'
import { jarsOf, java } from './maven.ts'

/**
 * What every generated client does with the service, in this order. Its program prints the name of each step after it has
 * checked the responses.
 */
export const STEPS = [
  'sign up',
  'token',
  'create a planet',
  'page through planets',
  'replace with If-Match',
  'upload a picture',
  'webhook with a credential',
  'problem with errors',
  'delete',
]

/** A picture that a program can upload. */
const PICTURE = join(import.meta.dirname, 'picture.png')

/** Describes the clients of a language. */
export function describeLanguage(name: LanguageName, tests: () => void): void {
  describe(`generated clients in ${name}`, tests)
}

/** The file with the OpenAPI document that the service serves. */
export const documentFile = () => inject('document')

/** The worlds that have a document in OpenAPI 3.2. */
export const WORLDS = ['the common world', 'a universe'] as const

/** The file with the document in OpenAPI 3.2 that a world of the service serves. */
export const newerDocumentFile = (world: (typeof WORLDS)[number]) => inject('newerDocuments')[world]

/** The URL of the service. */
export const serviceUrl = () => inject('shared').url

/** An empty folder for what a generator writes, below the folder of its language. */
export async function makeBuildFolder(language: LanguageName, name: string): Promise<string> {
  const folder = join(folderOf(language), 'build', name)
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  return folder
}

/**
 * Runs a command.
 *
 * @param folder The folder in which it runs
 * @returns What it printed to its standard output
 * @throws Error with all that it printed, if it fails
 */
export async function run(command: Command, folder: string, env: NodeJS.ProcessEnv = {}): Promise<string> {
  return (await execute(command, folder, env)).stdout
}

type Printed = Record<'stdout' | 'stderr', string>

function execute([program, ...args]: Command, folder: string, env: NodeJS.ProcessEnv): Promise<Printed> {
  return new Promise((resolve, reject) => {
    const options = { cwd: folder, env: { ...process.env, ...env }, maxBuffer: OUTPUT_BYTES_MAX }
    execFile(program, args, options, (error, stdout, stderr) => {
      if (error) reject(new Error(`${program} ${args.join(' ')}\n${stdout}${stderr}`))
      else resolve({ stdout, stderr })
    })
  })
}

/** Generators print a line for each file. */
const OUTPUT_BYTES_MAX = 64 * 1024 * 1024

/** Files of openapi-generator that no test reads. */
const WITHOUT = 'apiDocs=false,apiTests=false,modelDocs=false,modelTests=false'

/** A setting of openapi-generator: the client knows only this scheme. */
export const ONE_SCHEME = ['--openapi-normalizer', 'SECURITY_SCHEMES_FILTER=key:bearerAuth']

/**
 * Runs openapi-generator on the document of the service.
 *
 * @throws Error if it reports an error. It goes on after some, such as an unknown value of a setting, and exits with 0.
 */
export async function openapiGenerator(generator: string, output: string, ...args: string[]): Promise<void> {
  await generateFrom(documentFile(), generator, output, ...args)
}

/** The same with the document in a file. */
export async function generateFrom(file: string, generator: string, output: string, ...args: string[]): Promise<void> {
  const options = ['-g', generator, '-i', file, '-o', output, '--global-property', WITHOUT, ...args]
  const command = java(jarsOf('generator'), 'org.openapitools.codegen.OpenAPIGenerator', 'generate', ...options)
  const { stderr } = await execute(command, output, {})
  const errors = stderr.split('\n').filter((line) => line.includes(' ERROR '))
  if (errors.length > 0) throw new Error(errors.join('\n'))
}

/**
 * Runs a program that makes the journey. It gets the service as `GALAXY_URL`, and a picture as `PICTURE`.
 *
 * @returns The steps that it has printed
 */
export async function makeJourney(command: Command, folder: string, env: NodeJS.ProcessEnv = {}): Promise<string[]> {
  const printed = await run(command, folder, { ...env, GALAXY_URL: serviceUrl(), PICTURE })
  return printed.trim().split('\n')
}
