import { expect, test } from 'vitest'
import * as z from 'zod/mini'
import { AdjustmentBody } from './desk/money/adjustments.ts'
import { email, personName, phone, phoneOrEmpty, usdAmount, usdText, walletAddress } from './fields.ts'

const problemOf = (schema: z.ZodMiniType, sent: unknown) =>
  z.safeParse(schema, sent).error?.issues.map(({ message }) => message)

test.each([
  [1, 100n],
  [12.5, 1_250n],
  [4.35, 435n],
  [70_368_744_177_663.99, 7_036_874_417_766_399n],
])('reads the number %d as %d cents, and writes the same number', (dollars, cents) => {
  const amount = z.parse(usdAmount(), dollars)
  expect(amount).toBe(cents)
  expect(z.encode(usdAmount(), amount)).toBe(dollars)
})

test('reads text, trimmed', () => {
  expect(z.parse(usdText(), ' 12.50 ')).toBe(1_250n)
})

test('reads an adjustment with its sign', () => {
  const { amount } = z.parse(AdjustmentBody, { book: 'real', amount: -4.35, reason: 'Wrong credit' })
  expect(amount).toBe(-435n)
})

const NO_AMOUNT = 'must be an amount with at most two decimals'

test.each([
  [undefined, 'must not be empty'],
  ['1', 'must be a number'],
  [Number.NaN, 'must be a number'],
  [0.001, NO_AMOUNT],
  [1e-7, NO_AMOUNT],
  [-0, NO_AMOUNT],
  [-1, NO_AMOUNT],
  [2 ** 46, NO_AMOUNT],
  [0.99, 'must be at least 1'],
  [0, 'must be at least 1'],
])('rejects the number %s with one message: %s', (sent, message) => {
  expect(problemOf(usdAmount(), sent)).toEqual([message])
})

test.each([
  [undefined, 'must not be empty'],
  [1, 'must be text'],
  [' ', 'must not be empty'],
  ['1e2', NO_AMOUNT],
  ['1.001', NO_AMOUNT],
  ['0.99', 'must be at least 1'],
])('rejects the text %s with one message: %s', (sent, message) => {
  expect(problemOf(usdText(), sent)).toEqual([message])
})

test.each([0, -0, 0.001, -(2 ** 46)])('rejects %d as an adjustment', (amount) => {
  expect(problemOf(AdjustmentBody, { book: 'real', amount, reason: 'Wrong credit' })).toEqual([
    `${NO_AMOUNT}, above or below 0`,
  ])
})

test.each([
  ['Persian, with a non-joiner', 'نیک\u200Cخواه'],
  ['Sinhala, with a joiner', 'ශ්\u200Dරී'],
  ['Hindi, with a joiner', 'क्\u200Dष'],
])('takes a name in %s', (_, name) => {
  expect(z.parse(personName(60), name)).toBe(name)
})

test.each([
  ['between Latin characters', 'Ada\u200DByron'],
  ['at the end', 'نیک\u200C'],
  ['at the beginning', '\u200Cنیک'],
  ['two in a row', 'نیک\u200C\u200Cخواه'],
  ['a direction mark', 'نیک\u200Fخواه'],
])('rejects a name with a joiner %s', (_, name) => {
  expect(problemOf(personName(60), name)).toEqual(['is invalid'])
})

test.each([
  ['_ada@example.org', '_ada@example.org'],
  ['__@example.org', '__@example.org'],
  ['ada@bücher.example', 'ada@xn--bcher-kva.example'],
  ['Ada@BÜCHER.example', 'Ada@xn--bcher-kva.example'],
  ['ada@例え.テスト', 'ada@xn--r8jz45g.xn--zckzah'],
  ['ada@xn--bcher-kva.example', 'ada@xn--bcher-kva.example'],
  ['ada@Example.org', 'ada@Example.org'],
])('takes the address %s', (typed, stored) => {
  expect(z.safeParse(email, typed).data).toBe(stored)
})

test.each([
  'a_@b',
  'ädä@example.org',
  'ada@bücher',
  'ada@bü cher.example',
  'ada@bücher.example/path',
  'ada@bücher.example:25',
  'ada@bü..example',
  'ada@%62ücher.example',
  'ada@bü\u202Echer.example',
  'ada@-bücher-.example@',
])('rejects the address %s', (typed) => {
  expect(problemOf(email, typed)).toEqual(['is invalid'])
})

test.each([
  ['+44 20 7946 0000', '+44 20 7946 0000'],
  ['\u202A+44\u00A020\u00A07946\u00A00000\u202C', '+44 20 7946 0000'],
  ['0044 (0)20 7946-0000', '+44 (0)20 7946-0000'],
  ['00442079460000', '+442079460000'],
  ['(020)\u20117946\u20130000', '(020)-7946-0000'],
  ['tel:+442079460000', '+442079460000'],
  ['+44 20 7946 0000', '+44 20 7946 0000'],
  ['  0 20   79460000\t', '0 20 79460000'],
  ['0000000000', '0000000000'],
])('takes the pasted phone number %s', (typed, stored) => {
  expect(z.safeParse(phone, typed).data).toBe(stored)
  expect(z.safeParse(phoneOrEmpty, typed).data).toBe(stored)
})

test('counts the characters of a phone number without those that nobody sees', () => {
  expect(problemOf(phone, '\u202A123456789\u202C')).toEqual(['must be at least 10 characters long'])
  expect(problemOf(phone, ' ')).toEqual(['must not be empty'])
  expect(z.parse(phoneOrEmpty, ' ')).toBe('')
  expect(problemOf(phone, '1'.repeat(33))).toEqual(['must be at most 32 characters long'])
})

const BTC = 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4'
const ETH = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
test.each([
  [` ${BTC} `, BTC],
  [`bitcoin:${BTC}`, BTC],
  [`BITCOIN:${BTC.toUpperCase()}?AMOUNT=0.1`, BTC.toUpperCase()],
  [`bitcoin:${BTC}?amount=0.1&label=${'x'.repeat(200)}`, BTC],
  [`bitcoin://${BTC}`, BTC],
  [`ethereum:${ETH}?value=1e18`, ETH],
  [`ethereum:${ETH}@1`, ETH],
])('takes the address out of %s', (typed, address) => {
  expect(z.parse(walletAddress, typed)).toBe(address)
})

// Taken apart, each of these would send coins to another place than its writer meant.
test.each([
  ['of another coin', `litecoin:3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy`],
  ['of Bitcoin with an address of Ethereum', `bitcoin:${ETH}`],
  ['of Ethereum with an address of Bitcoin', `ethereum:${BTC}`],
  ['for another chain', `ethereum:${ETH}@137`],
  ['to a contract of tokens', `ethereum:${ETH}/transfer?address=0x0&uint256=1`],
  ['with something that we must know', `bitcoin:${BTC}?req-somethingyoudontunderstand=50`],
])('leaves a payment link %s as it is', (_, link) => {
  expect(z.parse(walletAddress, link)).toBe(link)
})
