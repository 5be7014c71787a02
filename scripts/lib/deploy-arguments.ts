import { parseArgs } from 'node:util'

export const USAGE =
  'npm run deploy -- --env NAME [--dry-run] [--url URL] [--yes]\nNAME is an environment of wrangler.toml: production or staging. Without a terminal, --yes is required.'

export interface DeployArguments {
  environment: string
  /** Whether the steps are only printed. */
  isDryRun: boolean
  /** The origin at which the service is tested after the deployment, if `--url` names one. */
  url: string | undefined
  isConfirmed: boolean
}

interface Context {
  /** Whether the command can ask its user. */
  hasTerminal: boolean
  /** Whether this is a build of Cloudflare, which runs `npm run deploy` without arguments. */
  isCloudflareBuild: boolean
}

/** @throws Error if an argument is missing or not valid */
export function readDeployArguments(args: string[], { hasTerminal, isCloudflareBuild }: Context): DeployArguments {
  const { values } = parseArgs({
    args,
    options: {
      env: { type: 'string', ...(isCloudflareBuild && { default: 'production' }) },
      'dry-run': { type: 'boolean', default: false },
      url: { type: 'string' },
      yes: { type: 'boolean', default: isCloudflareBuild },
    },
  })
  const { env: environment, 'dry-run': isDryRun, url, yes: isConfirmed } = values
  if (!environment) throw new Error('--env is missing')
  if (!isDryRun && !isConfirmed && !hasTerminal) throw new Error('Without a terminal, --yes is required')
  return { environment, isDryRun, url: url === undefined ? undefined : readOrigin(url), isConfirmed }
}

function readOrigin(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^https?:$/.test(url.protocol)) throw new Error('--url must be an http or https URL')
  return url.origin
}
