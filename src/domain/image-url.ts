const PATH = '/images/'

/** The URL of an uploaded image. */
export function imageUrl(baseUrl: string, key: string): string {
  return `${baseUrl}${PATH}${key}`
}

/** Whether a URL is that of an uploaded image. Its host does not matter, because keys cannot be guessed. */
export function isImageUrl(url: string, key: string): boolean {
  return URL.parse(url)?.pathname === `${PATH}${key}`
}
