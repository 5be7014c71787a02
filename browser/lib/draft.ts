import { useLayoutEffect, useRef } from 'hono/jsx/dom'
import { readStored, removeStored, store } from './storage.ts'

const PREFIX = 'draft.'

/**
 * Keeps what a person types into a form, except passwords. The form contains it again after a reload, and when the
 * person comes back from another section.
 *
 * @param name The name of the draft. Forms with the same name share their draft
 * @returns The reference for the form, and a function that discards the draft
 */
export function useDraft(name: string) {
  const form = useRef<HTMLFormElement>(null)
  useLayoutEffect(() => {
    const element = form.current
    if (!element) return
    restore(element, readDraft(name))
    const keep = () => store(PREFIX + name, JSON.stringify(collect(element)))
    element.addEventListener('input', keep)
    return () => element.removeEventListener('input', keep)
  }, [])
  return { form, forget: () => removeStored(PREFIX + name) }
}

function readDraft(name: string): Record<string, string | boolean> {
  return JSON.parse(readStored(PREFIX + name) ?? '{}')
}

function collect(form: HTMLFormElement): Record<string, string | boolean> {
  return Object.fromEntries(
    fieldsOf(form).map((field) => [keyOf(field), isBox(field) ? field.checked : field.value] as const),
  )
}

function restore(form: HTMLFormElement, draft: Record<string, string | boolean>): void {
  for (const field of fieldsOf(form)) {
    const kept = draft[keyOf(field)]
    if (kept === undefined) continue
    if (isBox(field)) field.checked = kept === true
    else field.value = String(kept)
  }
}

type Field = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement

function fieldsOf(form: HTMLFormElement): Field[] {
  return [...form.querySelectorAll<Field>('input, select, textarea')].filter(({ type }) => type !== 'password')
}

function isBox(field: Field): field is HTMLInputElement {
  return field.type === 'checkbox'
}

/** Boxes of one group have the same name. */
function keyOf(field: Field): string {
  return isBox(field) ? `${field.name} ${field.value}` : field.name
}
