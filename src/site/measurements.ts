// This file runs in browsers too.

/** The labels of the figures of planets, and their units, for all pages. The unit is empty if a figure has none. */
export const MEASUREMENTS = {
  mass: { label: 'Mass', unit: 'Earth masses' },
  radius: { label: 'Radius', unit: 'Earth radii' },
  gravity: { label: 'Surface gravity', unit: 'Earth g' },
  temperature: { label: 'Average temperature', unit: 'K' },
  period: { label: 'Orbital period', unit: 'days' },
  axis: { label: 'Semi-major axis', unit: 'au' },
  eccentricity: { label: 'Eccentricity', unit: '' },
  habitability: { label: 'Habitability index', unit: '' },
} as const
