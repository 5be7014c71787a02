const PATH = '/images/'

/** Where the service serves an uploaded image. */
export function imageUrl(baseUrl: string, key: string): string {
  return `${baseUrl}${PATH}${key}`
}

/** Tells whether a URL is that of an uploaded image, by whichever name of the service: keys are unguessable. */
export function isImageUrl(url: string, key: string): boolean {
  return URL.parse(url)?.pathname === `${PATH}${key}`
}
