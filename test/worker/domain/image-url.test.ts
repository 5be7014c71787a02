import { describe, expect, it } from 'vitest'
import { imageUrl, isImageUrl } from '../../../src/domain/image-url.ts'

const KEY = '0f8fad5b-d9cb-469f-a165-70867728950e.png'

it('the URL of an upload is on the service that responds', () => {
  expect(imageUrl('https://galaxy.example', KEY)).toBe(`https://galaxy.example/images/${KEY}`)
})

describe('a planet that is sent back as it was read keeps its upload', () => {
  it.each([
    ['by the exact URL', imageUrl('https://galaxy.example', KEY)],
    ['by another name of the service', imageUrl('http://localhost:8787', KEY)],
    ['with a query, as used against caches', `${imageUrl('https://galaxy.example', KEY)}?v=2`],
    ['with a fragment', `${imageUrl('https://galaxy.example', KEY)}#top`],
  ])('%s', (_, url) => {
    expect(isImageUrl(url, KEY)).toBe(true)
  })
})

describe('another image is not mistaken for the upload', () => {
  it.each([
    ['nothing', ''],
    ['the key alone', KEY],
    ['a path alone', `/images/${KEY}`],
    ['no URL at all', 'https://'],
    ['the key of another upload', imageUrl('https://galaxy.example', `1${KEY.slice(1)}`)],
    ['a longer key', imageUrl('https://galaxy.example', `${KEY}.png`)],
    ['another directory', `https://galaxy.example/pictures/${KEY}`],
    ['a deeper directory', `https://galaxy.example/v2/images/${KEY}`],
    ['the key in a query', `https://galaxy.example/?image=/images/${KEY}`],
  ])('%s', (_, url) => {
    expect(isImageUrl(url, KEY)).toBe(false)
  })
})
