/** Why a part of the platform rejects a valid call for some time, and when the caller should try again. */
export interface Refusal {
  retryAfterSeconds: number
  detail: string
}
