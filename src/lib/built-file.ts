import { rootCause } from './root-cause.ts'

// The files that the build wrote, which the Worker reads through its binding.

/**
 * The beginning of the error message for a file that cannot be read at the moment. Code recognises the error by this
 * text and not by a class, because only the message of an error leaves the Durable Object of a universe.
 */
export const UNREADABLE_FILE = 'this file cannot be read at the moment:'

/**
 * If the request fails, it is sent once more, because a read changes nothing.
 *
 * @param take Returns the part of the response that the caller needs. The status of the response is below 500
 * @throws Error with `UNREADABLE_FILE` if both attempts fail
 */
export async function fetchFile<Result>(
  assets: Fetcher,
  request: Request,
  take: (response: Response) => Result | Promise<Result>,
): Promise<Result> {
  const attempt = async (): Promise<Result> => {
    const response = await assets.fetch(request)
    if (response.status >= 500) throw new Error(`the status is ${response.status}`)
    return await take(response)
  }
  return await attempt().catch(async () => {
    return await attempt().catch((error) => {
      throw new Error(`${UNREADABLE_FILE} ${new URL(request.url).pathname} (${rootCause(error).message})`)
    })
  })
}

/**
 * Reads a file as text.
 *
 * @throws Error if the file is missing, which is a fault of the build; any error of `fetchFile`
 */
export async function readBuiltFile(assets: Fetcher, path: string): Promise<string> {
  const text = await findBuiltFile(assets, path)
  if (text === undefined) throw new Error(`the file ${path} is missing`)
  return text
}

/**
 * Reads a file as text.
 *
 * @returns Undefined if there is no such file
 * @throws Any error of `fetchFile`
 */
export async function findBuiltFile(assets: Fetcher, path: string): Promise<string | undefined> {
  // The binding needs an absolute URL, but ignores its host.
  const request = new Request(new URL(path, 'http://assets.local'))
  return await fetchFile(assets, request, async (response) => (response.ok ? await response.text() : undefined))
}
