import { HOSTILE } from '#tests/support/hostile.ts'
import type { draws } from '#tests/support/random.ts'
import type { Schema } from './document.ts'
import { RawJson } from './draft.ts'

export type Draws = ReturnType<typeof draws>

const MORE_TEXTS = [
  'true',
  '0',
  '1.0000000000000001',
  '9'.repeat(40),
  '-9223372036854775809',
  '2026-02-30',
  '0000-00-00',
  '+275760-09-13',
  '1970-01-01T00:00:00Z',
  'ⅠⅡⅢ',
  '𝒜𝒹𝒶 😀👩‍👩‍👧‍👦',
  'e\u0301'.repeat(50),
  'ﷺ'.repeat(60),
  '\u0000',
  '\u0007\u001b[31m',
  '\ufffe\uffff',
  '\u2028\u2029',
  '%00%0d%0aset-cookie:x=1',
  'a\r\nset-cookie: injected=1\r\n\r\n<html>',
  "1' and sleep(5)--",
  "1' and 1=(select pg_sleep(5))--",
  '1) or (1=1',
  '$1',
  '%s%n%x',
  '*',
  '%',
  '_',
  '\\',
  '"',
  '`id`',
  '$(id)',
  '| cat /etc/passwd',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the attack
  '${jndi:ldap://127.0.0.1/a}',
  '<svg/onload=alert(1)>',
  'javascript:alert(1)',
  'data:text/html,<script>alert(1)</script>',
  'http://169.254.169.254/latest/meta-data/',
  'file:///etc/passwd',
  '__proto__',
  'constructor',
  'hasOwnProperty',
  'toString',
  '=cmd|calc!A1',
  '@SUM(1)',
  'x'.repeat(255),
  'x'.repeat(256),
  'x'.repeat(4_001),
  'é'.repeat(8_000),
]

/** Hostile values as JSON text; most are valid JSON. */
const VALUES: readonly string[] = [
  ...HOSTILE.filter(({ name }) => name !== '100 kB').map(({ json }) => json),
  ...MORE_TEXTS.map((text) => JSON.stringify(text)),
  ...[
    '1e308',
    '-1e308',
    '2147483648',
    '-2147483649',
    '9007199254740992',
    '0.30000000000000004',
    '1.7976931348623157e308',
  ],
  ...['1E400', '123456789012345678901234567890.123456789', '1e-400', '4.9e-325', '00', '-', '1e', '1_000'],
  '"\\udc00"',
  '"\\ud83d"',
  '{"__proto__":{"isAdmin":true}}',
  '{"constructor":{"prototype":{"x":1}}}',
  '{"$gt":""}',
  '{"length":1e9}',
  '[[[[[[[[[[1]]]]]]]]]]',
  '[null,null]',
  `[${'1,'.repeat(2_000)}1]`,
  '{"a":{"b":{"c":{"d":{"e":{}}}}}}',
]

/** Hostile texts, unescaped. */
const TEXTS: readonly string[] = [
  ...HOSTILE.filter(({ kind, json }) => kind === 'text' && json.length < 40_000).map(
    ({ json }) => JSON.parse(json) as string,
  ),
  ...MORE_TEXTS,
]

export const hostileValue = (draw: Draws): RawJson => new RawJson(draw.pick(VALUES))
export const hostileText = (draw: Draws): string => draw.pick(TEXTS)

/** Encodes text for a path or query. Lone surrogates, which have no UTF-8, become invalid bytes. */
export function encoded(text: string): string {
  try {
    return encodeURIComponent(text)
  } catch {
    return '%ed%a0%80'
  }
}

/** Returns a value that fits a schema, at its limits if it has any: such values pass the first checks. */
export function fittingValue(schema: Schema, draw: Draws): unknown {
  const { type, properties, items, minimum, maximum, minLength, maxLength } = schema as {
    type?: string
    properties?: Record<string, Schema>
    items?: Schema
    minimum?: number
    maximum?: number
    minLength?: number
    maxLength?: number
  }
  if (Array.isArray(schema.enum)) return draw.pick(schema.enum)
  if ('const' in schema) return schema.const
  const choices = (schema.anyOf ?? schema.oneOf) as Schema[] | undefined
  if (choices) return fittingValue(draw.pick(choices), draw)
  switch (type) {
    case 'boolean':
      return draw.chance(0.5)
    case 'null':
      return null
    case 'integer':
    case 'number':
      return draw.pick([minimum ?? 0, maximum ?? 1e6, 0, 1, -1, 0.01, 100, 1e15, draw.below(1_000)])
    case 'array':
      return Array.from({ length: draw.pick([0, 1, 2, 50]) }, () => fittingValue(items ?? {}, draw))
    case 'object':
      return Object.fromEntries(
        Object.entries(properties ?? {}).map(([name, property]) => [name, fittingValue(property, draw)]),
      )
    default:
      return draw.chance(0.5)
        ? hostileText(draw)
        : 'x'.repeat(draw.pick([minLength ?? 0, maxLength ?? 10, (maxLength ?? 10) + 1, 1, 3]))
  }
}
