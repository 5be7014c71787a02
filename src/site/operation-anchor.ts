// Where an operation stands in the API reference. The page and its script use the same anchors.

/**
 * The end of the anchor of an operation: `GET/planets/:planetId`. A fragment may contain no braces (RFC 3986, section
 * 3.5), so the path has its parameters in another form.
 */
export function operationSlug(method: string, path: string): string {
  return method.toUpperCase() + withoutBraces(path)
}

/** Replaces `{name}` by `:name`. In a fragment, as older links have it, the braces can be encoded. */
export function withoutBraces(text: string): string {
  return text.replaceAll(/(?:\{|%7B)(\w+)(?:\}|%7D)/gi, ':$1')
}
