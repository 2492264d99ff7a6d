/** A hostile value for a field, as it appears in a JSON body. */
export interface Hostile {
  name: string
  json: string
  /** `broken` is invalid JSON. */
  kind: 'number' | 'text' | 'other' | 'broken'
}

const text = (name: string, value: string): Hostile => ({ name, json: JSON.stringify(value), kind: 'text' })
const number = (json: string): Hostile => ({ name: json, json, kind: 'number' })
const other = (name: string, json: string): Hostile => ({ name, json, kind: 'other' })

/** The hostile values of the invariants page, and similar ones. */
export const HOSTILE: readonly Hostile[] = [
  ...['0', '-0', '-1', '-0.01', '0.001', '0.999', '1.005', '1e309', '-1e309', '1e-7', '5e-324'].map(number),
  ...['9007199254740993', '99999999999999999999999999', '1e21', '0.1e-400'].map(number),
  ...['NaN', 'Infinity', '-Infinity', '0x10', '01', '+1', '.5', '1.', 'undefined', "'1'"].map(
    (json): Hostile => ({ name: json, json, kind: 'broken' }),
  ),
  other('null', 'null'),
  other('true', 'true'),
  other('false', 'false'),
  other('an empty list', '[]'),
  other('a list of one', '[1]'),
  other('a list of a text', '["a"]'),
  other('an empty object', '{}'),
  other('an object', '{"valueOf":1,"toString":"x"}'),
  other('deep JSON', `${'['.repeat(5_000)}${']'.repeat(5_000)}`),
  text('an empty text', ''),
  text('blanks', ' \t\n '),
  text('a number as text', '10'),
  text('an exponent as text', '1e3'),
  text('hex as text', '0x10'),
  text('NaN as text', 'NaN'),
  text('Infinity as text', 'Infinity'),
  text('a minus as text', '-1'),
  text('full-width digits', '１０'),
  text('Arabic digits', '١٠'),
  text('a comma', '1,000'),
  text('NUL', 'a\0b'),
  { name: 'a lone surrogate', json: '"a\\ud800b"', kind: 'text' },
  text('markup', '<script>alert(1)</script><img src=x onerror=alert(1)>'),
  text('SQL', "'; drop table trades; --"),
  text('a header', 'ok@example.org\r\nBcc: evil@example.org'),
  text('a path', '../../../../etc/passwd%00'),
  text('a template', '{{7*7}}#{7*7}<%= 7*7 %>'),
  text('writing from right to left', '\u202Egnp.exe\u200B\uFEFF'),
  text('30 kB', 'a'.repeat(30_000)),
  text('100 kB', 'a'.repeat(100_000)),
  text('what slow patterns hate', `${'a'.repeat(200)}@${'a.'.repeat(200)}!`),
]

/** Fields that no call accepts but an attacker may try. */
export const FOREIGN_FIELDS = {
  id: 1,
  user_id: 1,
  balance: 1_000_000,
  demo_balance: 1_000_000,
  email_verified: true,
  trading_plan: 'Diamond-50730',
  role: 'admin',
  is_admin: true,
  payout: 100,
  percent: 100,
  start_price: 1,
  end_price: 1_000_000,
  end_time: '2020-01-01T00:00:00Z',
  trade_time: '2020-01-01T00:00:00Z',
  status: 'Won',
  price: 1,
  rule_version: 'X',
  constructor: 'x',
  prototype: 'x',
  toString: 'x',
  $ne: 1,
  '': 'x',
} as const

/** Bodies that are wrong as a whole. */
export const HOSTILE_BODIES: readonly { name: string; body: string; status: readonly number[] }[] = [
  { name: 'broken JSON', body: '{"a":', status: [400] },
  { name: 'half a text', body: '{"a":"', status: [400] },
  { name: 'two values', body: '{}{}', status: [400] },
  { name: 'a list', body: '[]', status: [422] },
  { name: 'a list of bodies', body: '[{},{}]', status: [422] },
  { name: 'null', body: 'null', status: [422] },
  { name: 'a text', body: '"x"', status: [422] },
  { name: 'a number', body: '1', status: [422] },
  { name: '__proto__', body: '{"__proto__":{"balance":1}}', status: [400, 422] },
  { name: 'constructor.prototype', body: '{"constructor":{"prototype":{"balance":1}}}', status: [400, 422] },
  { name: 'deep JSON', body: `${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`, status: [422] },
  { name: '100 kB', body: JSON.stringify({ a: 'x'.repeat(100_000) }), status: [413] },
]
