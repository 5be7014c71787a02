import { connectGalaxy, type Galaxy, startGalaxy } from './index.ts'

/** The server of a test run: that of `GALAXY_URL`, which goes on after the run, or a new one with a temporary state. */
export async function openGalaxy(): Promise<Galaxy> {
  const { GALAXY_URL: url } = process.env
  return url ? await connectGalaxy(url) : await startGalaxy()
}
