import { Fragment as FragmentOfHono, type JSX, jsx as jsxOfHono } from 'hono/jsx/dom/jsx-runtime'

// What the JSX of pages compiles to (tsconfig.json): the runtime of hono/jsx/dom, except for texts. Hono keeps a node
// for each text, and puts it back at its place when a component is rendered again. If the reader lets the browser
// translate the page, the browser replaces these nodes by elements of its own (`<font>`). Hono does not know them, so
// they would stay beside what it puts back: every text would be there twice. So Hono only gets elements, which a
// translation leaves in place, and each element sets its own text. Code is not translated at all, because people copy
// it.

export { type JSX, jsx as jsxs }

type Props = Record<string, unknown>

/** The text that an element has set last. */
const texts = new WeakMap<Element, string>()

export function jsx(tag: string | Parameters<typeof jsxOfHono>[0], props: Props, key?: string) {
  if (typeof tag !== 'string') return jsxOfHono(tag, props, key)
  const { children, ref, ...others } = props
  const text = textOf(children)
  return jsxOfHono(
    tag,
    {
      ...((tag === 'code' || tag === 'pre') && { translate: 'no' }),
      ...others,
      ...(text === undefined && { children: wrapTexts(children) }),
      ref(element: Element) {
        showText(element, text)
        return attach(ref, element)
      },
    },
    key,
  )
}

export function Fragment({ children, ...props }: Props) {
  return FragmentOfHono({ ...props, children: wrapTexts(children) })
}

/** The text of children that are nothing else; undefined if there is an element among them. */
function textOf(children: unknown): string | undefined {
  const flat = [children].flat(Number.POSITIVE_INFINITY)
  return flat.every((child) => isText(child) || isNothing(child)) ? flat.filter(isText).join('') : undefined
}

const isText = (child: unknown) => typeof child === 'string' || typeof child === 'number'

const isNothing = (child: unknown) => child === undefined || child === null || typeof child === 'boolean'

/** Puts each run of texts beside other children into an element. White space is not translated, and stays as it is. */
function wrapTexts(children: unknown): unknown[] {
  const wrapped: unknown[] = []
  let run = ''
  const endRun = () => {
    if (run !== '') wrapped.push(run.trim() === '' ? run : jsx('span', { children: run }))
    run = ''
  }
  for (const child of [children].flat(Number.POSITIVE_INFINITY)) {
    if (isText(child)) run += child
    else if (!isNothing(child)) {
      endRun()
      wrapped.push(child)
    }
  }
  endRun()
  return wrapped
}

/** @param text Undefined if the element has other children than a text */
function showText(element: Element, text: string | undefined): void {
  const shown = texts.get(element) ?? ''
  if (text === undefined) {
    if (shown !== '') element.replaceChildren()
    texts.delete(element)
  } else if (text !== shown) {
    element.textContent = text
    texts.set(element, text)
  }
}

/** Gives an element to the `ref` of its component. @returns What has to be done when the element is gone */
function attach(ref: unknown, element: Element): () => void {
  if (typeof ref === 'function') return ref(element) ?? (() => ref(null))
  if (typeof ref !== 'object' || ref === null) return () => {}
  const object = Object.assign(ref, { current: element as Element | null })
  return () => {
    object.current = null
  }
}
