import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parse } from 'yaml'
import * as z from 'zod'
import { ROOT } from '../../scripts/lib/root.ts'

// The workflows of GitHub, with the members that ours have. An unknown one is refused, because a test could not judge it.

const Step = z.strictObject({
  id: z.string().optional(),
  name: z.string().optional(),
  if: z.string().optional(),
  uses: z.string().optional(),
  with: z.record(z.string(), z.unknown()).optional(),
  env: z.record(z.string(), z.string()).optional(),
  run: z.string().optional(),
})

const Job = z.strictObject({
  name: z.string(),
  needs: z.string().optional(),
  'runs-on': z.literal('ubuntu-latest'),
  'timeout-minutes': z.number(),
  permissions: z.record(z.string(), z.string()).optional(),
  container: z.strictObject({ image: z.string(), options: z.string() }).optional(),
  strategy: z
    .strictObject({ 'fail-fast': z.literal(false), matrix: z.record(z.string(), z.array(z.string())) })
    .optional(),
  steps: z.array(Step),
})

const Workflow = z.strictObject({
  name: z.string(),
  on: z.unknown(),
  permissions: z.record(z.string(), z.string()),
  concurrency: z.strictObject({ group: z.string(), 'cancel-in-progress': z.union([z.boolean(), z.string()]) }),
  defaults: z.strictObject({ run: z.strictObject({ shell: z.literal('bash') }) }),
  jobs: z.record(z.string(), Job),
})

export type Workflow = z.infer<typeof Workflow>
export type WorkflowStep = z.infer<typeof Step>

export const WORKFLOW_NAMES = ['ci', 'nightly', 'release'] as const
export type WorkflowName = (typeof WORKFLOW_NAMES)[number]

export async function readWorkflow(name: WorkflowName): Promise<Workflow & { text: string }> {
  const text = await readFile(join(ROOT, '.github', 'workflows', `${name}.yml`), 'utf8')
  return { ...Workflow.parse(parse(text)), text }
}
