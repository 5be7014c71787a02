import type { Thread } from './open-thread.ts'

export interface UniverseOptions {
  /** `catalogue`, the default: all shipped planets, with their ids. `blank`: no planets. */
  seed?: 'catalogue' | 'blank' | undefined
  /**
   * After how many hours without a request it ends by itself: 1 to 168. The default is 1, so that killed test runs
   * leave nothing for long.
   */
  hours?: number | undefined
}

/** The whole service at a base URL of its own. `await using` removes it at the end of the block. */
export interface Universe extends AsyncDisposable {
  /** Its base URL, without a slash at the end. */
  readonly url: string
  /**
   * A token of its owner, who is user 1 and owns all planets of the catalogue. A token is valid for an hour. `reset`
   * replaces one that is older than half an hour, so read this member in each test, and keep no copy of it.
   */
  readonly token: string
  /** The owner's e-mail address and password, which are valid as long as the universe. */
  readonly owner: { readonly email: string; readonly password: string }
  /** Puts everything back to what the universe was made with. The owner stays, with the token. */
  reset(): Promise<void>
  /** Ends the universe, with everything in it. One that has ended already is no error. */
  remove(): Promise<void>
}

/** @param server The base URL of the common world */
export async function makeUniverse(thread: Thread, server: string, options?: UniverseOptions): Promise<Universe> {
  let state = await thread.call('makeUniverse', server, options)
  const reset = async () => {
    state = await thread.call('resetUniverse', state)
  }
  const remove = async () => {
    state = await thread.call('endUniverse', state)
  }
  return {
    url: state.url,
    owner: state.owner,
    get token() {
      return state.token
    },
    reset,
    remove,
    [Symbol.asyncDispose]: remove,
  }
}
