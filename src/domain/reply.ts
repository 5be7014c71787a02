/** The reply of a handler, before it is written in a format. */
export interface Reply<Status extends number = number, Body = unknown> {
  status: Status
  body: Body
  headers: Readonly<Record<string, string>>
}
