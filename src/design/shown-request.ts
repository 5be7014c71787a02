/** A request as a page shows it: in full, and as code in several languages. */
export interface ShownRequest {
  method: string
  /** The absolute URL. */
  url: string
  headers: readonly (readonly [name: string, value: string])[]
  body?: ShownBody
}

/** A text, or a form with one file (multipart/form-data). The content of the file is not shown. */
export type ShownBody = { text: string } | { field: string; fileName: string }

export interface ShownResponse {
  status: number
  headers: readonly (readonly [name: string, value: string])[]
  /** Empty if the response has no body. */
  text: string
  /** How long the caller waited for the whole response. */
  milliseconds: number
}
