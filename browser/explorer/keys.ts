import type { Direction } from './nearest.ts'

export interface KeyListener {
  /** Moves the focus to the next planet in a direction. */
  step(direction: Direction): void
  panByStep(direction: Direction): void
  zoomByStep(isIn: boolean): void
  home(): void
  openPinned(): void
  unpin(): void
}

const ARROWS: Readonly<Record<string, Direction>> = {
  ArrowLeft: 'left',
  ArrowRight: 'right',
  ArrowUp: 'up',
  ArrowDown: 'down',
}

const ACTIONS: Readonly<Record<string, (listener: KeyListener) => void>> = {
  '+': (listener) => listener.zoomByStep(true),
  // The key of + without Shift, on many keyboards.
  '=': (listener) => listener.zoomByStep(true),
  '-': (listener) => listener.zoomByStep(false),
  0: (listener) => listener.home(),
  Home: (listener) => listener.home(),
  Enter: (listener) => listener.openPinned(),
  Escape: (listener) => listener.unpin(),
}

/** Listens to the keys of the picture while it has the focus. */
export function listenToKeys(host: HTMLElement, listener: KeyListener): void {
  host.addEventListener('keydown', (event) => {
    // These keys belong to the browser (Ctrl and + is larger text) or to the link in the card.
    if (event.ctrlKey || event.metaKey || event.altKey || event.target !== host) return
    const direction = ARROWS[event.key]
    const action = ACTIONS[event.key]
    if (!direction && !action) return
    event.preventDefault()
    if (!direction) action?.(listener)
    else if (event.shiftKey) listener.panByStep(direction)
    else listener.step(direction)
  })
}
