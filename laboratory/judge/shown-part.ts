import type { JudgedCase, PartName } from '../case.ts'

export const headerOf = (name: string): PartName => `header ${name.toLowerCase()}`

/** The part that is shown of a request without a difference. */
export function partOf({ id, parameters, accepts }: Pick<JudgedCase, 'id' | 'parameters' | 'accepts'>): PartName {
  if (accepts !== undefined) return 'header accept'
  const [group] = id.split('/')
  if (group === 'header') return headerOf(parameters?.find((parameter) => parameter.in === 'header')?.name ?? '')
  if (group === 'path' || group === 'query' || group === 'cookie') return group
  if (group === 'redirect' && parameters?.some((parameter) => parameter.in === 'query')) return 'query'
  return 'body'
}
