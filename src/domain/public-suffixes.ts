/** The public suffix list (https://publicsuffix.org/list/): the names below which anybody can register a domain. */
export class PublicSuffixes {
  readonly #rules: ReadonlySet<string>

  /** @param rules The rules of the list as it writes them, in ASCII: `co.uk`, `*.ck`, `!www.ck` */
  constructor(rules: Iterable<string>) {
    this.#rules = new Set(rules)
  }

  /**
   * The registrable domain of a host: its public suffix and one more label.
   *
   * @param host A name in ASCII and in lower case
   * @returns Undefined if the host is a public suffix itself
   */
  domainOf(host: string): string | undefined {
    const labels = host.split('.')
    const start = this.#startOfSuffix(labels)
    return start === 0 ? undefined : labels.slice(start - 1).join('.')
  }

  /**
   * The index of the first label of the public suffix. The longest rule that matches decides. An exception (`!www.ck`)
   * overrides a wildcard of the same length (`*.ck`). The suffix is then the exception without its first label.
   */
  #startOfSuffix(labels: readonly string[]): number {
    for (let start = 0; start < labels.length; start++) {
      const name = labels.slice(start).join('.')
      const parentName = labels.slice(start + 1).join('.')
      if (this.#rules.has(`!${name}`)) return start + 1
      if (this.#rules.has(name) || this.#rules.has(`*.${parentName}`)) return start
    }
    // If no rule matches, the public suffix is the last label, as for any other top-level domain.
    return labels.length - 1
  }
}
