import { request } from 'node:http'
import { connect } from 'node:net'
import { expect, it } from 'vitest'
import { bodyOf } from '../galaxy.ts'
import { ownAddress } from '../own-address.ts'
import { shareGalaxy } from '../prepared-state.ts'

// What only a connection shows: a response of which no byte arrives, and bodies that `fetch` does not send.

const galaxy = shareGalaxy()

/** The base URLs of the common world and of a universe. */
async function worlds(): Promise<string[]> {
  const { url } = await bodyOf(await fetch(`${galaxy.url}/universes`, { method: 'POST', headers: ownAddress() }))
  return [galaxy.url, url]
}

async function beginRun(base: string): Promise<string> {
  const headers = { 'Content-Type': 'application/json', ...ownAddress() }
  const body = JSON.stringify({ tool: 'sockets', version: '1' })
  return (await bodyOf(await fetch(`${base}/lab/runs`, { method: 'POST', headers, body }))).url
}

/** All bytes that come back for a request, until the connection ends. */
async function receive(url: string, method: string, body: string): Promise<string> {
  const { hostname, port, host, pathname } = new URL(url)
  const socket = connect(Number(port), hostname)
  const headers = `Host: ${host}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close`
  socket.write(`${method} ${pathname} HTTP/1.1\r\n${headers}\r\n\r\n${body}`)
  let text = ''
  socket.on('data', (data) => (text += data))
  socket.on('error', () => {})
  await new Promise((resolve) => socket.on('close', resolve))
  return text
}

// biome-ignore lint/suspicious/noExplicitAny: the assertions of a test check the shape
async function resultOf(run: string, id: string): Promise<any> {
  const { results } = await bodyOf(await fetch(run))
  return results.find((result: { case: string }) => result.case === id)
}

it('not one byte arrives of a response that is lost, and the request is recorded', async () => {
  for (const base of await worlds()) {
    const run = await beginRun(base)
    expect((await fetch(`${run}/retry/post-once`)).status).toBe(204)
    expect(await receive(`${run}/retry/post-once`, 'POST', '{"name":"blue"}')).toBe('')
    expect(await resultOf(run, 'retry/post-once')).toMatchObject({ verdict: 'info', requests: 2 })
    expect(await receive(`${run}/retry/post-once`, 'POST', '{"name":"blue"}')).toContain('"verdict":"fail"')
  }
})

it('a body that comes with GET is judged', async () => {
  for (const base of await worlds()) {
    const url = `${base}/lab/try/redirect/303-post/target`
    const told = await new Promise<string>((resolve, reject) => {
      const sent = request(url, { method: 'GET', headers: { 'Content-Length': 2 } }, (response) => {
        let text = ''
        response.on('data', (piece) => (text += piece))
        response.on('end', () => resolve(text))
      })
      sent.on('error', reject).end('{}')
    })
    expect(JSON.parse(told)).toMatchObject({ verdict: 'fail', received: '{}' })
    expect(await bodyOf(await fetch(url))).toMatchObject({ verdict: 'pass' })
  }
})
