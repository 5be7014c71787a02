/** Replaces http with ws, and https with wss. @param url The URL with http or https */
export function socketUrlOf(url: string): string {
  return url.replace(/^http/, 'ws')
}
