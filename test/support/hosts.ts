import fc from 'fast-check'

/** The printable characters of ASCII, and a tab, that are in no host that the service takes. */
export const IN_NO_HOST = [...'!"#$&\'()*+,/;<=>?@\\^`{|}~ \t']

/** Hosts of each kind of RFC 3986, section 3.2.2, with and without a port. */
export const HOSTS = [
  'localhost',
  'localhost:8787',
  'localhost:',
  'LOCALHOST:80',
  '127.0.0.1',
  '127.0.0.1:65535',
  '[::1]',
  '[::1]:1',
  '[::ffff:127.0.0.1]',
  'a-b.example',
  'a.example.',
  'under_score.test',
  'xn--4dbrk0ce.test:8',
  'a%2Db.example',
]

/** Texts that move the host, the path or the query of the URL that a runtime makes of `Host` and the path. */
export const NO_HOSTS = [
  'localhost:8787/planets/2?',
  'localhost:8787/planets/2#',
  'localhost/planets',
  'a@evil.example',
  'a:b@evil.example',
  'evil.example#',
  'evil.example?',
  'evil.example/',
  'evil.example\\',
  'local\thost',
  'a, b',
  'a:1:2',
  'a%',
  'a%4',
  'a%zz',
  '[::1',
  '::1',
  '[::1]a',
  'a[::1]',
  '[v1.a]',
  ':80',
  'a:8o',
]

/** A text with a character that no host has. */
export const aTextThatIsNoHost = fc
  .tuple(
    fc.constantFrom('a', 'localhost', 'localhost:8787', '[::1]', '127.0.0.1', 'evil.example'),
    fc.constantFrom(...IN_NO_HOST),
    fc.constantFrom('a', '1', '/planets/2?', 'evil.example', '..', '%2F', 'planets/2?fields=name'),
  )
  .map((parts) => parts.join(''))
