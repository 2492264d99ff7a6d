import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { type $ZodType, toJSONSchema } from 'zod/v4/core'
import { api } from '#contract/api.ts'
import type { Endpoint } from '#contract/endpoint.ts'

type Schema = { [key: string]: unknown; properties?: Record<string, Schema>; items?: Schema }

/** Returns the paths of the body's fields that accept any text. */
function textFields(schema: Schema, at = ''): string[] {
  const parts = ['anyOf', 'oneOf', 'allOf'].flatMap((word) => (schema[word] ?? []) as Schema[])
  return [
    ...parts.flatMap((part) => textFields(part, at)),
    ...Object.entries(schema.properties ?? {}).flatMap(([name, one]) =>
      textFields(one, at === '' ? name : `${at}.${name}`),
    ),
    ...(schema.items ? textFields(schema.items, `${at}[]`) : []),
    ...(schema.type === 'string' && !schema.enum && !schema.const && !schema.pattern ? [at] : []),
  ]
}

const schemaOf = (type: $ZodType | undefined): Schema =>
  type ? (toJSONSchema(type, { unrepresentable: 'any', io: 'input' }) as Schema) : {}

/** Returns all fields of calls that change something and accept any text: `POST /path field`. */
function fieldsOfContract(): string[] {
  const calls = Object.entries(api as Record<string, Endpoint>).filter(([name]) => !name.startsWith('GET '))
  const all = calls.flatMap(([name, { body, form }]) =>
    [body, form].flatMap((part) =>
      textFields(schemaOf(part)).map((field) => `${name.replaceAll(/:(\w+)/g, '{$1}')} ${field}`),
    ),
  )
  return [...new Set(all)]
}

/** Fields that stored-xss.spec.ts fills with payloads. */
const TYPED = new Set(
  [
    ...readFileSync(new URL('../../e2e/support/payloads.ts', import.meta.url), 'utf8').matchAll(/into\('([^']+)'\)/g),
  ].map(([, field]) => field!),
)

/** Fields that can't store markup, and why. Each pattern must match a field. */
const EXCEPT: [RegExp, why: string][] = [
  [/ (password|confirmPassword|current|code|link|hash|token|session)$/, 'a secret, of which a hash is stored at most'],
  [/\/preview /, 'a preview, which stores nothing'],
  [/ (passkey|response)\.id$/, 'binary data of a passkey'],
  [/ (email|wallet|btc_address|eth_address)$/, 'an address, whose characters are checked'],
  [
    / (date_of_birth|country|gender|currency|usd_amount|account_number|routing_number|item_id|exclusion|lever_id)$/,
    'checked by its form',
  ],
  [
    /^POST \/desk\/(deposits\/\{id\}\/arrival|unknown-deposits) (transaction_id|coin_amount)$/,
    'hex digits and a number',
  ],
  [/^POST \/desk\/unknown-deposits\/\{id\}\/assign user$/, 'only an account that exists is accepted'],
  [/^PATCH \/users\/chart .*indicator$/, 'only an indicator that exists is accepted'],
  [/^(POST|PUT) \/waiting-orders.* (level|at|valid_until)$/, 'a number, or a time'],
  [/^(POST|PUT) \/alerts.* (level|indicator\.(id|output))$/, 'a number, or only an indicator that exists'],
  [/^POST \/desk\/payout-batches\/.*(withdrawals\[\]|transaction_id)$/, 'ids, and hex digits'],
  [
    / (referral_code|symbol|symbols\[\]|time_zone|zone|strategies\[\]\.(strategy|symbols\[\])|symbol_limits\[\]\.symbol|presets\[\]\.symbol|document\.rules\[\]\.symbols\[\]|loss_limits\[\]\.name)$/,
    'only one that exists is accepted',
  ],
  [/^PUT \/trading\/\{trade_id\}\/note tags\[\]$/, 'too short for a payload; shown as text next to the note'],
  [/^POST \/((automatic|strategies)\/backtest|desk\/price-lists\/dry-run) /, 'nothing is stored'],
  [/^POST \/desk\/price-lists document\.lists\[\]\.name$/, 'too short for a payload; shown as text'],
  [/^POST \/public\/contact website$/, 'a trap for robots: what is filled in there is dropped'],
  [/^POST \/notices\/read up_to$/, 'a cursor'],
  [/^POST \/notices\/push(\/end)? endpoint$/, 'the address of a push service; no screen shows it'],
  [/^(PATCH \/users|POST \/users\/update) /, 'the same columns as those of registration and profile'],
  [
    /^POST \/desk\/venue-switches\/\{id\}\/reject reason$/,
    'needs prices of exchanges; shown by the same part as the reasons of other queues',
  ],
]

test('stored-xss.spec.ts types into every field of the contract that stores text', () => {
  const fields = fieldsOfContract()
  expect(fields.length).toBeGreaterThan(90)
  const uncovered = fields.filter((field) => !TYPED.has(field) && !EXCEPT.some(([pattern]) => pattern.test(field)))
  expect(uncovered).toEqual([])
})

test('the exceptions and the filled fields exist', () => {
  const fields = fieldsOfContract()
  expect(EXCEPT.filter(([pattern]) => !fields.some((field) => pattern.test(field))).map(([, why]) => why)).toEqual([])
  // Chat messages are sent over the socket.
  expect([...TYPED].filter((field) => !fields.includes(field))).toEqual(['chat text'])
})
