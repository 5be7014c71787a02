/** The header by which the service knows the address of a client. The local runtime takes it as it comes. */
const ADDRESS = 'CF-Connecting-IP'

/**
 * The header of a client with an address of its own. What one address may do is limited, and test files share a
 * service, so whoever makes something that is limited does it with this header.
 */
export function ownAddress(): { [ADDRESS]: string } {
  return { [ADDRESS]: crypto.randomUUID().replaceAll('-', '').match(/.{4}/g)?.join(':') ?? '' }
}
