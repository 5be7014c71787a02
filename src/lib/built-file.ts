import { rootCause } from './root-cause.ts'

// The files that the build wrote, which the Worker reads through its binding.

/**
 * Begins the message of the error for a file that cannot be read at the moment. It is a text and not a class, because only
 * the message of an error leaves the object of a universe.
 */
export const UNREADABLE_FILE = 'this file cannot be read at the moment:'

/**
 * Asks for a file. If this fails, it is asked for once more, because a read changes nothing.
 *
 * @param take What is needed of the response. The status is below 500
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
 * @throws Error if the file is missing, which is a fault of the build; what `fetchFile` throws
 */
export async function readBuiltFile(assets: Fetcher, path: string): Promise<string> {
  const request = new Request(new URL(path, 'http://assets.local'))
  const text = await fetchFile(assets, request, async (response) => (response.ok ? await response.text() : undefined))
  if (text === undefined) throw new Error(`the file ${path} is missing`)
  return text
}
