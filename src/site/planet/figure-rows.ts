import type { Planet } from '../../schemas/planet.ts'
import { MEASUREMENTS } from '../measurements.ts'

export interface Figure {
  label: string
  value: string
  note?: string
}

interface Meaning {
  label: string
  unit: string
  /** Whether only the catalogue defines the meaning. A user may mean something else by the same name. */
  isOfCatalogue?: true
}

/** Registry: the measurements with a known meaning, by their path in `physicalProperties`. */
const MEANINGS: ReadonlyMap<string, Meaning> = new Map<string, Meaning>(
  Object.entries({
    mass: MEASUREMENTS.mass,
    radius: MEASUREMENTS.radius,
    gravity: MEASUREMENTS.gravity,
    'temperature.average': MEASUREMENTS.temperature,
    'temperature.min': { label: 'Lowest temperature', unit: 'K' },
    'temperature.max': { label: 'Highest temperature', unit: 'K' },
    orbitalPeriod: { ...MEASUREMENTS.period, isOfCatalogue: true },
    semiMajorAxis: { ...MEASUREMENTS.axis, isOfCatalogue: true },
    eccentricity: { ...MEASUREMENTS.eccentricity, isOfCatalogue: true },
  } satisfies Record<string, Meaning>),
)

/** The figures of a planet with their units: those with a known meaning first, then all others. */
export function figuresOf({ physicalProperties = {}, habitabilityIndex }: Planet, isShipped: boolean): Figure[] {
  const { temperature = {}, ...others } = physicalProperties
  const values = new Map([
    ...Object.entries(others),
    ...Object.entries(temperature).map(([name, value]) => [`temperature.${name}`, value] as const),
  ])
  const meaningOf = (name: string) => {
    const meaning = MEANINGS.get(name)
    return meaning?.isOfCatalogue && !isShipped ? undefined : meaning
  }
  const namesWithMeaning = [...MEANINGS.keys()].filter(meaningOf)
  const otherNames = [...values.keys()].filter((name) => !meaningOf(name))
  const measured = [...namesWithMeaning, ...otherNames].flatMap((name) => {
    const value = values.get(name)
    return value === undefined ? [] : [describe(name, value, meaningOf(name))]
  })
  return habitabilityIndex === undefined ? measured : [...measured, describeHabitability(habitabilityIndex)]
}

function describe(name: string, value: number, meaning: Meaning | undefined): Figure {
  if (meaning) return { label: meaning.label, value: withUnit(value, meaning.unit) }
  // Users can add temperatures with other names than average, min and max.
  const [, temperatureName] = /^temperature\.(.*)$/s.exec(name) ?? []
  if (temperatureName !== undefined) {
    return { label: `Temperature: ${temperatureName}`, value: withUnit(value, 'K') }
  }
  return {
    label: name,
    value: formatNumber(value),
    note: 'The creator of the planet chose this name. The unit is not known.',
  }
}

function describeHabitability(value: number): Figure {
  const note = 'From 0 to 1. Earth has almost 1.'
  const { label } = MEASUREMENTS.habitability
  return { label, value: formatNumber(value), note }
}

const ZERO_CELSIUS_KELVIN = 273.15
/** Up to this temperature, the page also shows degrees Celsius. */
const CELSIUS_SHOWN_MAX_KELVIN = 10_000

/** @param unit Empty if the figure has none */
function withUnit(value: number, unit: string): string {
  const number = formatNumber(value)
  if (unit === '') return number
  if (unit !== 'K' || value < 0 || value > CELSIUS_SHOWN_MAX_KELVIN) return `${number} ${unit}`
  return `${number} K (${formatNumber(Math.round(value - ZERO_CELSIUS_KELVIN))} °C)`
}

/** The minus sign of printed texts (U+2212). JavaScript writes a hyphen. */
const MINUS = '\u2212'

/**
 * Writes a number with all its digits, in groups of three. A number that JavaScript writes with an exponent keeps it.
 */
export function formatNumber(value: number): string {
  const text = String(value)
  if (text.includes('e')) return text.replaceAll('-', MINUS)
  const [whole = '', ...fraction] = text.split('.')
  return [whole.replaceAll(/\B(?=(?:\d{3})+$)/g, ','), ...fraction].join('.').replace('-', MINUS)
}

const SHORT_DIGITS = 7
/** A number of this size or more has too many digits for a narrow column. */
const LONG_NUMBER = 1e10
/** A number below this size has too many zeros for a narrow column. */
const TINY_NUMBER = 1e-5

/**
 * Writes a number for a narrow column: rounded to seven significant digits. A very large or very small number has an
 * exponent.
 */
export function formatShort(value: number): string {
  const rounded = Number(value.toPrecision(SHORT_DIGITS))
  const size = Math.abs(rounded)
  const fitsWithoutExponent = size < LONG_NUMBER && (size >= TINY_NUMBER || size === 0)
  return fitsWithoutExponent ? formatNumber(rounded) : rounded.toExponential().replaceAll('-', MINUS)
}
