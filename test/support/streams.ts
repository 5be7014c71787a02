/** A stream over HTTP, as a client reads it. */
export interface OpenStream {
  response: Response
  /** Resolves with all whole lines that have arrived when they contain a text. */
  until(text: string): Promise<string>
  /** Resolves with everything when the stream has ended. */
  ended: Promise<string>
  cancel(): Promise<void>
}

/** Reads a stream as it comes. */
export function readStream(response: Response): OpenStream {
  if (!response.body) throw new Error(`no stream, but ${response.status}`)
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  let received = ''
  let noteText = () => {}
  async function readAll(): Promise<string> {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return received
      received += value
      noteText()
    }
  }
  const ended = readAll()
  ended.catch(() => {})
  const until = (text: string) =>
    new Promise<string>((resolve) => {
      noteText = () => {
        const lines = received.slice(0, received.lastIndexOf('\n') + 1)
        if (lines.includes(text)) resolve(lines)
      }
      noteText()
    })
  return { response, until, ended, cancel: () => reader.cancel() }
}
