const PATH = /^\/inboxes\/([^/]+)(\/.*)$/

/** Whether an inbox takes requests at a path. */
export function isInInbox(pathname: string): boolean {
  return PATH.test(pathname)
}

/** The id of the inbox that takes requests at a path, and the path below it; empty if there is none. */
export function splitInboxPath(pathname: string): { inboxId: string; path: string } {
  const [, inboxId = '', path = ''] = PATH.exec(pathname) ?? []
  return { inboxId, path }
}
