import { BASE_PATH, HOST, PROTOCOL } from '../../src/features/documents/event-servers.ts'
import type { Server } from './types.ts'

const serverOf = (version: string, description: string): Server => ({
  host: HOST,
  pathname: `${BASE_PATH}/ws/${version}`,
  protocol: PROTOCOL,
  // The version of the WebSocket protocol (RFC 6455).
  protocolVersion: '13',
  title: `Version ${version.slice('v'.length)}`,
  description,
})

/** The servers of the document: two paths of the same service. */
export const SERVERS: Readonly<Record<string, Server>> = {
  v1: serverOf('v1', 'The WebSockets of this service.'),
  v2: serverOf('v2', 'The same as version 1. Both versions stay available.'),
}
