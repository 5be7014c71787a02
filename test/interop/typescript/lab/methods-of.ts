type Method = (...args: unknown[]) => Promise<never>

/** A method of a class of operations. */
interface Bound {
  api: Record<string, Method>
  method: Method
}

/** The methods of all classes of operations of a client by openapi-generator, by name. */
export function methodsOf(client: Record<string, unknown>, configuration: unknown): Record<string, Bound> {
  const classes = Object.entries(client).filter(([name]) => /Api$/.test(name)) as [
    string,
    new (c: unknown) => Bound['api'],
  ][]
  const bound = classes.flatMap(([, Api]) => {
    const api = new Api(configuration)
    return Object.getOwnPropertyNames(Api.prototype).map((name): [string, Bound] => [
      name,
      { api, method: api[name] as Method },
    ])
  })
  return Object.fromEntries(bound)
}
