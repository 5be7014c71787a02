export const USAGE =
  'npm run account -- suspend|restore|delete E-MAIL|ID [--yes] [--remote | --local [--persist-to DIR]]\ndelete asks for confirmation. Without a terminal, it requires --yes.'

const COMMANDS = ['suspend', 'restore', 'delete'] as const

export interface AccountArguments {
  command: (typeof COMMANDS)[number]
  /** The e-mail address or the id of the account. */
  who: string
  isConfirmed: boolean
  /** The options of wrangler that say where the database is. */
  target: string[]
}

/**
 * @param hasTerminal Whether the command can ask its user
 * @returns Undefined if an argument is missing or not valid
 */
export function readAccountArguments(args: readonly string[], hasTerminal: boolean): AccountArguments | undefined {
  const isConfirmed = args.includes('--yes')
  const [name, who = '', ...target] = args.filter((arg) => arg !== '--yes')
  const command = COMMANDS.find((one) => one === name)
  if (!command || who === '' || who.startsWith('-')) return undefined
  if (command === 'delete' && !isConfirmed && !hasTerminal) return undefined
  return { command, who, isConfirmed, target: target.length > 0 ? target : ['--local'] }
}
