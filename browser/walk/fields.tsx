import type { StepId } from '../../src/site/walk-steps.ts'
import { type Inputs, isSuggested } from './state.ts'

interface Field {
  name: keyof Inputs
  label: string
  type: 'email' | 'text' | 'password' | 'textarea'
  maxLength: number
  hint?: string
}

const EMAIL: Field = { name: 'email', label: 'E-mail address', type: 'email', maxLength: 254 }
const PASSWORD: Field = { name: 'password', label: 'Password', type: 'password', maxLength: 200 }
const DESCRIPTION = { type: 'textarea', maxLength: 500 } as const

const FIELDS: Readonly<Partial<Record<StepId, readonly Field[]>>> = {
  signup: [
    { ...EMAIL, hint: 'This one is made up. You can type your own.' },
    { ...PASSWORD, type: 'text', hint: 'This one is random, so it is shown. A password that you type is hidden.' },
  ],
  token: [EMAIL, { ...PASSWORD, hint: 'The page shows requests in full, but hides a password that you have typed.' }],
  planet: [
    { name: 'name', label: 'Name of the planet', type: 'text', maxLength: 200 },
    { ...DESCRIPTION, name: 'description', label: 'Description' },
  ],
  update: [{ ...DESCRIPTION, name: 'update', label: 'New description' }],
}

export const CREDENTIALS: readonly Field[] = [EMAIL, PASSWORD]

interface FieldsProps {
  step: StepId
  inputs: Inputs
  keep: (inputs: Partial<Inputs>) => void
}

export function Fields({ step, inputs, keep }: FieldsProps) {
  return (
    <div class="fields">
      {(FIELDS[step] ?? []).map((field) => (
        <FieldOf key={field.name} field={hideTyped(field, inputs)} value={inputs[field.name]} keep={keep} />
      ))}
    </div>
  )
}

/** The field with its characters hidden if it has a password that somebody has typed. */
function hideTyped(field: Field, inputs: Inputs): Field {
  return field.name === 'password' && !isSuggested(inputs) ? { ...field, type: 'password' } : field
}

interface FieldOfProps {
  field: Field
  value: string
  keep: (inputs: Partial<Inputs>) => void
}

export function FieldOf({ field: { name, label, type, maxLength, hint }, value, keep }: FieldOfProps) {
  const id = `field-${name}`
  const common = {
    id,
    name,
    value,
    maxLength,
    required: true,
    autoComplete: 'off',
    spellcheck: false,
    'aria-describedby': hint ? `${id}-hint` : undefined,
    onInput: ({ target }: Event) => isTextField(target) && keep({ [name]: target.value }),
  }
  return (
    <div>
      <label for={id}>{label}</label>
      {type === 'textarea' ? (
        <textarea key="area" rows={2} {...common} />
      ) : (
        <input key="input" type={type} {...common} />
      )}
      {hint && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  )
}

function isTextField(target: EventTarget | null): target is HTMLInputElement | HTMLTextAreaElement {
  return target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement
}
