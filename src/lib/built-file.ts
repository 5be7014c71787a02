/** Reads a file that the build added to the assets of the Worker. @throws Error if it is missing */
export async function readBuiltFile(assets: Fetcher, path: string): Promise<Response> {
  const response = await assets.fetch(new URL(path, 'http://assets.local'))
  if (!response.ok) throw new Error(`the file ${path} cannot be read (${response.status})`)
  return response
}
