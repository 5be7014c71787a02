/** What an application is told of the service: what its library demands, and nothing else. */
export const settings = {
  issuer: read('ISSUER'),
  clientId: read('CLIENT_ID'),
  clientSecret: read('CLIENT_SECRET'),
  port: Number(read('PORT')),
}

function read(name: string): string {
  const value = process.env[name]
  if (value === undefined) throw new Error(`the variable ${name} is missing`)
  return value
}
