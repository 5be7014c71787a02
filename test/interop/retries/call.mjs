// Calls a URL with a client and its retries: node call.mjs CLIENT METHOD URL TIMES [BODY]. Prints what the caller sees of
// the last call: the status, or `error`.

const [client = '', method = '', url = '', times = '', body] = process.argv.slice(2)
const headers = { 'X-Client': client, ...(body !== undefined && { 'Content-Type': 'application/json' }) }

/** Each makes a function that calls once, reads the whole response, and returns its status. */
const CLIENTS = {
  async got() {
    const { default: got } = await import('got')
    return async () => (await got(url, { method, headers, body })).statusCode
  },
  async ky() {
    const { default: ky } = await import('ky')
    return async () => {
      const response = await ky(url, { method, headers, body })
      await response.text()
      return response.status
    }
  },
  async 'axios-retry'() {
    const { default: axios } = await import('axios')
    const { default: axiosRetry } = await import('axios-retry')
    axiosRetry(axios)
    return async () => (await axios({ url, method, headers, data: body })).status
  },
  async RetryAgent() {
    const { Agent, RetryAgent } = await import('undici')
    return withDispatcher(new RetryAgent(new Agent()))
  },
  async 'interceptors.retry'() {
    const { Agent, interceptors } = await import('undici')
    return withDispatcher(new Agent().compose(interceptors.retry()))
  },
}

/** Calls with undici. */
async function withDispatcher(dispatcher) {
  const { request } = await import('undici')
  return async () => {
    const response = await request(url, { method, headers, body, dispatcher })
    await response.body.text()
    return response.statusCode
  }
}

/** The status that an error of a client names. A response that was cut off has a status, too, but is no answer. */
function statusOf(error) {
  const status = error.response?.statusCode ?? error.response?.status ?? error.statusCode
  return status >= 400 ? status : 'error'
}

const call = await CLIENTS[client]()
let seen
for (let count = 0; count < Number(times); count++) seen = await call().catch(statusOf)
process.stdout.write(String(seen))
// A client may keep its connections open.
process.exit()
