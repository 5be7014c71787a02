const LONG_NAMES: Readonly<Record<string, string>> = { Tue: 'Tues', Wed: 'Wednes', Thu: 'Thurs', Sat: 'Satur' }

/** The three forms of an HTTP-date (RFC 9110, section 5.6.7). @param date The first form, as `toUTCString` writes it */
export function formsOfDate(date: string): [fixed: string, rfc850: string, asctime: string] {
  const [dayName = '', day = '', month = '', year = '', time = ''] = date.split(/,? /)
  return [
    date,
    `${LONG_NAMES[dayName] ?? dayName}day, ${day}-${month}-${year.slice(2)} ${time} GMT`,
    `${dayName} ${month} ${day.replace(/^0/, ' ')} ${time} ${year}`,
  ]
}
