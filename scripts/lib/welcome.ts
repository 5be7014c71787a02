/**
 * What the user reads when the service is ready.
 *
 * @param baseUrl Where this machine reaches it
 * @param scheduledUrl What runs the scheduled job, if the user wants to know
 */
export function welcome(baseUrl: string, scheduledUrl?: string): string {
  const scheduled = scheduledUrl === undefined ? '' : `Run the scheduled job: curl "${scheduledUrl}"\n`
  return `
Galaxy is running at ${baseUrl}
Read the API reference and try out requests: ${baseUrl}/docs

  curl ${baseUrl}/planets/4
  curl "${baseUrl}/planets?limit=3&offset=9"
  curl --json "{\\"email\\":\\"you-$(date +%s)@example.com\\",\\"password\\":\\"i-love-planets\\"}" ${baseUrl}/user/signup
${scheduled}`
}
