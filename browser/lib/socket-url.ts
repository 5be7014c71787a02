/** The URL of a socket. @param url The same with http or https */
export function socketUrlOf(url: string): string {
  return url.replace(/^http/, 'ws')
}
