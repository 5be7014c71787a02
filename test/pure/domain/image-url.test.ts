import { describe, expect, it } from 'vitest'
import { findImageKey, imageBaseUrlOf, imageUrl, isImageUrl } from '../../../src/domain/image-url.ts'
import { eachRow } from '../../support/each-row.ts'

const KEY = '0f8fad5b-d9cb-469f-a165-70867728950e.png'

it('the URL of an upload is on the service that responds', () => {
  expect(imageUrl('https://galaxy.example', KEY)).toBe(`https://galaxy.example/images/${KEY}`)
})

describe('a planet that is sent back as it was read keeps its upload', () => {
  it('by any URL of it', () =>
    eachRow(
      [
        ['by the exact URL', imageUrl('https://galaxy.example', KEY)],
        ['by the address of a universe', imageUrl('https://galaxy.example/u/abcdefghijklmnopqrstuvwx', KEY)],
        ['by another name of the service', imageUrl('http://localhost:8787', KEY)],
        ['with a query, as used against caches', `${imageUrl('https://galaxy.example', KEY)}?v=2`],
        ['with a fragment', `${imageUrl('https://galaxy.example', KEY)}#top`],
      ],
      ([, url]) => {
        expect(isImageUrl(url, KEY)).toBe(true)
      },
    ))
})

describe('another image is not mistaken for the upload', () => {
  it('however alike its URL is', () =>
    eachRow(
      [
        ['nothing', ''],
        ['the key alone', KEY],
        ['a path alone', `/images/${KEY}`],
        ['no URL at all', 'https://'],
        ['the key of another upload', imageUrl('https://galaxy.example', `1${KEY.slice(1)}`)],
        ['a longer key', imageUrl('https://galaxy.example', `${KEY}.png`)],
        ['another directory', `https://galaxy.example/pictures/${KEY}`],
        ['a deeper directory', `https://galaxy.example/v2/images/${KEY}`],
        ['a path that is no universe', `https://galaxy.example/u/abc/images/${KEY}`],
        ['a deeper directory of a universe', `https://galaxy.example/u/abcdefghijklmnopqrstuvwx/v2/images/${KEY}`],
        ['the key in a query', `https://galaxy.example/?image=/images/${KEY}`],
      ],
      ([, url]) => {
        expect(isImageUrl(url, KEY)).toBe(false)
      },
    ))
})

describe('the base of image URLs', () => {
  it.each([
    { imageHost: undefined, base: 'https://galaxy.example/u/x' },
    { imageHost: 'images.example', base: 'https://images.example' },
    { imageHost: 'images.example:8443', base: 'https://images.example:8443' },
  ])('is $base with the host $imageHost', ({ imageHost, base }) => {
    expect(imageBaseUrlOf('https://galaxy.example/u/x', imageHost)).toBe(base)
  })
})

describe('the key of an image', () => {
  it('is in each URL of it', () =>
    eachRow([KEY, `https://galaxy.example/images/${KEY}`, `http://localhost:8787/images/${KEY}?v=2`], (text) => {
      expect(findImageKey(text)).toBe(KEY)
    }))

  it('is not in a text that is no URL of it', () =>
    eachRow(
      [
        '',
        `${KEY}'`,
        ` ${KEY}`,
        `images/${KEY}`,
        `https://galaxy.example/u/abcdefghijklmnopqrstuvwx/images/${KEY}`,
        'https://galaxy.example/planets/1',
        `https://galaxy.example/images/${KEY}/more`,
      ],
      (text) => expect(findImageKey(text)).toBeUndefined(),
    ))
})
