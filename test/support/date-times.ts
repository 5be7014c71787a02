import fc from 'fast-check'

/** Texts that look like date-times of RFC 3339: most are valid, and many are at the border of the format. */
export function dateTimes(): fc.Arbitrary<string> {
  const part = (digits: number, ...borders: number[]) =>
    fc.oneof(fc.constantFrom(...borders), fc.nat(10 ** digits - 1)).map((value) => String(value).padStart(digits, '0'))
  const offset = fc.oneof(
    fc.constantFrom('Z', 'z', '+00:00', '-00:00', '+23:59', '-23:59', '+00:01', '-00:01', '+24:00'),
    fc
      .tuple(fc.constantFrom('+', '-'), part(2, 0, 12), part(2, 0, 30))
      .map(([sign, hour, minute]) => `${sign}${hour}:${minute}`),
  )
  const fraction = fc.oneof(fc.constant(''), fc.stringMatching(/^\.\d{1,12}$/))
  return fc
    .tuple(part(4, 0, 1, 99, 1970, 2016, 2030, 9999), part(2, 1, 2, 6, 12), part(2, 1, 28, 29, 30, 31))
    .chain(([year, month, day]) =>
      fc
        .tuple(fc.constantFrom('T', 't', ' '), part(2, 0, 23), part(2, 0, 59), part(2, 0, 59, 60), fraction, offset)
        .map(([separator, hour, minute, second, rest, zone]) => {
          return `${year}-${month}-${day}${separator}${hour}:${minute}:${second}${rest}${zone}`
        }),
    )
}
