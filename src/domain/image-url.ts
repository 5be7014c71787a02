import { hasSamePort, hostOf } from './hosts.ts'
import { findUniverse } from './universe-address.ts'

const PATH = '/images/'

export const IMAGE_PATH = /^\/images\/[^/]+$/

/**
 * The beginning of the URLs of uploaded images, before `/images/`.
 *
 * @param imageHost The host that serves only images; undefined if there is none
 */
export function imageBaseUrlOf(baseUrl: string, imageHost: string | undefined): string {
  return imageHost === undefined ? baseUrl : `${new URL(baseUrl).protocol}//${imageHost}`
}

/** Whether a URL is at the host that serves only images. Name and port are compared, but not the scheme. */
export function isAtImageHost(url: URL, imageHost: string | undefined): boolean {
  if (imageHost === undefined) return false
  const host = new URL(`http://${imageHost}`)
  return hasSamePort(url, host) && hostOf(url) === hostOf(host)
}

/** @param imageBaseUrl The result of `imageBaseUrlOf` */
export function imageUrl(imageBaseUrl: string, key: string): string {
  return `${imageUrlPrefix(imageBaseUrl)}${key}`
}

/** The prefix of the URL of an uploaded image: everything before its key. */
export function imageUrlPrefix(imageBaseUrl: string): string {
  return `${imageBaseUrl}${PATH}`
}

/** The key of an image, or its URL if no other path comes before `/images/`. */
const KEY_OR_URL = /^(?:https?:\/\/[^/]+\/images\/)?([0-9a-f-]{36}\.[a-z]{3,4})(?:[?#].*)?$/

/** The key of an image, if a text is this key or the URL of the image; undefined if the text is neither. */
export function findImageKey(text: string): string | undefined {
  return KEY_OR_URL.exec(text)?.[1]
}

/**
 * Whether a URL is the URL of the uploaded image with this key. The host and the universe are not compared: nobody can
 * guess a key, and one world may have several addresses.
 */
export function isImageUrl(url: string, key: string): boolean {
  const parsed = URL.parse(url)
  if (!parsed) return false
  // Only a universe that is addressed by path has a prefix before `/images/`, so no wildcard domain is passed.
  const universe = findUniverse(parsed, undefined)
  const path = typeof universe === 'object' ? universe.path : parsed.pathname
  return path === `${PATH}${key}`
}
