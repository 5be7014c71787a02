/**
 * Applies a merge patch (RFC 7396, section 2). Neither value is changed, and the result shares parts with both.
 *
 * @param target A JSON value; undefined if there is none
 */
export function applyMergePatch(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch
  const merged = new Map<string, unknown>(isObject(target) ? Object.entries(target) : [])
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) merged.delete(name)
    else merged.set(name, applyMergePatch(merged.get(name), value))
  }
  return Object.fromEntries(merged)
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
