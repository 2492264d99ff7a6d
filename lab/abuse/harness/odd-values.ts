import type { Draws } from './values.ts'

export const TYPES = [
  'text/plain',
  'text/html',
  'application/xml',
  'application/x-www-form-urlencoded',
  'application/json; charset=utf-16',
  'application/JSON;;;',
  'application/json, text/plain',
  'multipart/form-data',
  'multipart/form-data; boundary=',
  `multipart/form-data; boundary=${'b'.repeat(300)}`,
  'multipart/mixed; boundary=x',
  '',
  ';',
  'nonsense',
  'application/json\u00ff',
]
export const METHODS = [
  'GET',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'HEAD',
  'OPTIONS',
  'TRACE',
  'PROPFIND',
  'get',
  'FOO',
  'CONNECT',
]
export const KEYS = ['one-key-for-all', 'k'.repeat(255), 'k'.repeat(256), '', ' ', '\u00e9', "' or 1=1", '__proto__']
export const HEADERS: [string, string][] = [
  ['x-step-up', 'x'.repeat(43)],
  ['x-step-up', ''],
  ['x-step-up', 'x'.repeat(5_000)],
  ['cookie', `renewal=${'x'.repeat(43)}`],
  ['cookie', 'renewal="; device=%00'],
  ['cookie', `device=${'x'.repeat(43)}; renewal=a; renewal=b`],
  ['cookie', '; ;=;==;a'],
  ['cookie', `__proto__=1; ${'a=b;'.repeat(500)}`],
  ['origin', 'https://evil.example'],
  ['origin', 'null'],
  ['referer', 'https://evil.example/'],
  ['host', 'evil.example'],
  ['x-forwarded-for', "1.2.3.4', (select 1)"],
  ['x-forwarded-host', 'evil.example'],
  ['x-forwarded-proto', 'gopher'],
  ['x-http-method-override', 'DELETE'],
  ['x-original-url', '/api/desk/overview'],
  ['user-agent', '<script>alert(1)</script>'],
  ['user-agent', 'x'.repeat(8_000)],
  ['accept', 'text/html'],
  ['accept', '\u0001'],
  ['accept-encoding', 'gzip;q=0, identity;q=0'],
  ['range', 'bytes=0-1,5-,-9999999999'],
  ['if-none-match', '*'],
  ['if-modified-since', 'Thu, 32 Foo 9999 99:99:99 GMT'],
  ['authorization', 'Basic YTpi'],
  ['upgrade', 'h2c'],
  ['connection', 'upgrade'],
  ['te', 'trailers'],
  ['x-empty', ''],
  ['x-large', 'x'.repeat(20_000)],
  ['bad name', 'x'],
]

/** Returns a copy with a few changed bytes. */
export function damaged(bytes: Buffer, draw: Draws): Buffer {
  const copy = Buffer.from(bytes)
  for (let n = 1 + draw.below(4); n > 0; n--) {
    const at = draw.below(copy.length)
    copy[at] = draw.chance(0.5) ? draw.below(256) : draw.pick([0, 0x22, 0x7b, 0x7d, 0x5b, 0x2c, 0x5c, 0xff])
  }
  return copy
}
