import { spawn } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import * as z from 'zod'

// Runs the steps of a composite action of GitHub in a shell, as a runner does. It knows the expressions that our action
// uses, and refuses every other one. Steps of a workflow run in the same way (workflows.test.ts).

const Run = z.strictObject({
  id: z.string().optional(),
  name: z.string().optional(),
  shell: z.literal('bash'),
  env: z.record(z.string(), z.coerce.string()).optional(),
  run: z.string(),
})

const Use = z.strictObject({
  name: z.string().optional(),
  if: z.string(),
  uses: z.string(),
  with: z.record(z.string(), z.unknown()),
})

export const CompositeAction = z.strictObject({
  name: z.string(),
  description: z.string(),
  inputs: z.record(z.string(), z.strictObject({ description: z.string(), default: z.string() })),
  outputs: z.record(z.string(), z.strictObject({ description: z.string(), value: z.string() })),
  runs: z.strictObject({ using: z.literal('composite'), steps: z.array(z.union([Run, Use])) }),
})

export type CompositeAction = z.infer<typeof CompositeAction>
export type RunStep = z.infer<typeof Run>

/** The outputs of steps, by their ids. */
type Outputs = Record<string, Record<string, string>>

/** What is known while the action runs. */
interface Known {
  inputs: Record<string, string>
  steps: Outputs
}

/** The job that uses the action. */
export interface Job {
  /** The folder with `action.yml`. */
  actionPath: string
  /** The folder of the caller's checkout, in which steps run. */
  workspace: string
  /** The folder that the runner empties after each job. */
  temporary: string
  inputs?: Record<string, string>
  /** Variables of the job, beside those of this process. */
  env?: Record<string, string>
}

export interface Outcome {
  /** The exit code of the last step that ran. */
  code: number | null
  /** What the steps have printed. */
  printed: string
  /** The variables that later steps of the job get (`GITHUB_ENV`). */
  variables: Record<string, string>
  /** The outputs of the action. */
  outputs: Record<string, string>
  /** The other actions that it uses. They do not run here. */
  used: string[]
  steps: Outputs
}

/**
 * Runs the steps, until one fails.
 *
 * @param earlier The outputs of steps that have run before and are not among those of the action
 */
export async function runAction(action: CompositeAction, job: Job, earlier: Outputs = {}): Promise<Outcome> {
  const defaults = Object.entries(action.inputs).map(([name, input]) => [name, input.default])
  const known: Known = { inputs: { ...Object.fromEntries(defaults), ...job.inputs }, steps: { ...earlier } }
  const outcome: Outcome = { code: 0, printed: '', variables: {}, outputs: {}, used: [], steps: known.steps }
  for (const [index, step] of action.runs.steps.entries()) {
    if ('uses' in step) {
      if (holds(step.if, known)) outcome.used.push(step.uses)
      continue
    }
    const { code, printed, variables, outputs } = await runStep(step, job, known, index)
    outcome.code = code
    outcome.printed += printed
    Object.assign(outcome.variables, variables)
    if (code !== 0) return outcome
    if (step.id !== undefined) known.steps[step.id] = outputs
  }
  for (const [name, { value }] of Object.entries(action.outputs)) outcome.outputs[name] = fillIn(value, known)
  return outcome
}

type Ran = Pick<Outcome, 'code' | 'printed' | 'variables' | 'outputs'>

/**
 * Runs one step, until its shell has ended and nobody holds its output.
 *
 * @param index A number that no other step of the job has
 */
export async function runStep(step: RunStep, job: Job, known: Known, index: number): Promise<Ran> {
  const folder = join(job.temporary, '_runner', String(index))
  await mkdir(folder, { recursive: true })
  const [script = '', variables = '', outputs = ''] = ['script.sh', 'env', 'output'].map((name) => join(folder, name))
  await writeFile(script, step.run)
  for (const file of [variables, outputs]) await writeFile(file, '')
  const values = Object.entries(step.env ?? {}).map(([name, value]) => [name, fillIn(value, known)])
  // What GitHub documents for `shell: bash`.
  const child = spawn('bash', ['--noprofile', '--norc', '-e', '-o', 'pipefail', script], {
    cwd: job.workspace,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...environmentOfRunner(),
      ...job.env,
      ...Object.fromEntries(values),
      GITHUB_ACTION_PATH: job.actionPath,
      GITHUB_ENV: variables,
      GITHUB_OUTPUT: outputs,
      RUNNER_TEMP: job.temporary,
    },
  })
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve))
  const printed = await Promise.all([text(child.stdout), text(child.stderr)])
  return {
    code: await ended,
    printed: printed.join(''),
    variables: await readPairs(variables),
    outputs: await readPairs(outputs),
  }
}

/** The environment of this process, without what npm and vitest tell their children. They do not start a runner. */
export function environmentOfRunner(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(npm_|VITEST)/.test(name)))
}

/** The lines `name=value` that a step has written to a file. */
async function readPairs(file: string): Promise<Record<string, string>> {
  const lines = (await readFile(file, 'utf8')).split('\n').filter(Boolean)
  return Object.fromEntries(lines.map((line) => line.split(/=(.*)/s, 2)))
}

/** Whether a condition of a step holds. */
function holds(condition: string, known: Known): boolean {
  const [, name = '', value] = /^(\S+) == '([^']*)'$/.exec(condition) ?? []
  return readValue(name, known) === value
}

/** Replaces the expressions of a text. */
function fillIn(template: string, known: Known): string {
  return template.replaceAll(/\$\{\{ (.*?) \}\}/g, (_, expression) => readValue(expression, known))
}

/** @throws Error for an expression that is not an input, or an output of a step. It could not be judged here. */
function readValue(expression: string, { inputs, steps }: Known): string {
  const [, input = '', step = '', output = ''] =
    /^(?:inputs\.([\w-]+)|steps\.([\w-]+)\.outputs\.([\w-]+))$/.exec(expression) ?? []
  const value = input === '' ? steps[step]?.[output] : inputs[input]
  if (value === undefined) throw new Error(`nothing is known of ${expression}`)
  return value
}
