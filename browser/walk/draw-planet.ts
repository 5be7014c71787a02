import { CallFailed } from '../lib/api.ts'

const SIZE_PX = 640
const BANDS = 9
const STARS = 90
/** Each band continues under the next one, so that there is no gap between them. */
const OVERLAP_PX = 1
const INSTEAD = 'Choose a file instead.'

/**
 * Draws a picture of a planet (PNG). Planets of the same name look the same.
 *
 * @throws CallFailed if the browser cannot draw it
 */
export async function drawPlanet(name: string): Promise<File> {
  const canvas = document.createElement('canvas')
  canvas.width = SIZE_PX
  canvas.height = SIZE_PX
  const context = canvas.getContext('2d')
  if (!context) throw new CallFailed('This browser cannot draw the picture.', INSTEAD)
  const random = makeRandom(name)
  drawSky(context, random)
  drawDisc(context, random)
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'))
  if (!blob) throw new CallFailed('This browser cannot write a PNG.', INSTEAD)
  return new File([blob], 'planet.png', { type: 'image/png' })
}

function drawSky(context: CanvasRenderingContext2D, random: () => number): void {
  context.fillStyle = '#0c1022'
  context.fillRect(0, 0, SIZE_PX, SIZE_PX)
  context.fillStyle = '#e7e9f4'
  for (let star = 0; star < STARS; star++) {
    context.globalAlpha = 0.3 + 0.7 * random()
    const size = 1 + 2 * random()
    context.fillRect(random() * SIZE_PX, random() * SIZE_PX, size, size)
  }
  context.globalAlpha = 1
}

function drawDisc(context: CanvasRenderingContext2D, random: () => number): void {
  const [centre, radius, hue] = [SIZE_PX / 2, SIZE_PX * 0.36, random() * 360]
  context.save()
  context.beginPath()
  context.arc(centre, centre, radius, 0, 2 * Math.PI)
  context.clip()
  const height = (2 * radius) / BANDS
  for (let band = 0; band < BANDS; band++) {
    context.fillStyle = `hsl(${hue + 40 * random()} 55% ${45 + 20 * random()}%)`
    const top = centre - radius + band * height
    context.fillRect(0, top, SIZE_PX, height + OVERLAP_PX)
  }
  // The side that is turned away from the star is dark.
  const shade = context.createRadialGradient(
    centre - radius / 2,
    centre - radius / 2,
    radius / 4,
    centre,
    centre,
    radius,
  )
  shade.addColorStop(0, 'rgb(0 0 0 / 0)')
  shade.addColorStop(1, 'rgb(0 0 0 / 0.8)')
  context.fillStyle = shade
  context.fillRect(0, 0, SIZE_PX, SIZE_PX)
  context.restore()
}

/** A sequence of numbers from 0 to 1 that depends on a text only (a linear congruential generator). */
function makeRandom(text: string): () => number {
  // A simple hash of the text. `>>> 0` converts the results to unsigned numbers of 32 bits.
  let state = [...text].reduce((hash, character) => (Math.imul(hash, 31) + (character.codePointAt(0) ?? 0)) >>> 0, 7)
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}
