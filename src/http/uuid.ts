const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** Whether a text has the form of a UUID of any version (RFC 9562, section 4). */
export const isUuid = (text: string): boolean => UUID.test(text)
