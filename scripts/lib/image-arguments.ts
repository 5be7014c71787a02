import { findImageKey } from '../../src/domain/image-url.ts'

export const USAGE = 'npm run image -- remove KEY|URL [--remote | --local [--persist-to DIR]]'

export interface ImageArguments {
  /** The key of the image: the last part of its URL. */
  key: string
  /** Where the database is, as wrangler takes it. */
  target: string[]
}

/** @returns Undefined if an argument is missing or not valid */
export function readImageArguments(args: readonly string[]): ImageArguments | undefined {
  const [command, which = '', ...target] = args
  const key = findImageKey(which)
  if (command !== 'remove' || key === undefined) return undefined
  return { key, target: target.length > 0 ? target : ['--local'] }
}
