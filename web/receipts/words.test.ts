import { expect, test } from 'vitest'
import type { Receipt, ReceiptTick } from '#packages/verify/verify.js'
import { HEIGHT, pictureOf } from './picture.ts'
import { decidedBy, notReceipt, sentencesOf } from './words.ts'

const START = new Date(2026, 10, 22, 12, 0, 3, 11).getTime()
const END = START + 60_000

const tick = (sequence: number, time: number, price: string): ReceiptTick => ({
  sequence,
  time,
  price,
  source: 'live',
  frame: sequence,
})

type Parts = Pick<Receipt, 'trade' | 'outcome' | 'ticks'>

/** A won Buy with these parts replaced. */
const receipt = (trade: Partial<Parts['trade']>, outcome: Partial<Parts['outcome']>, ticks: Partial<Parts['ticks']>) =>
  ({
    trade: { side: 'Buy', stake: '100.00', percent: 75, trade_time: START, end_time: END, ...trade },
    outcome: { status: 'Won', payout: '175.00', reason: '', ...outcome },
    ticks: {
      before_entry: tick(6, START - 300, '66180.10'),
      entry: tick(7, START + 239, '66182.29'),
      change: null,
      exit: tick(80, END - 41, '66190.02'),
      after_exit: tick(81, END + 200, '66190.03'),
      ...ticks,
    },
    settlement: { checkpoint: { time: (trade.end_time ?? END) + 30_000 } },
  }) as Receipt

const NO_TICKS = { before_entry: null, entry: null, change: null, exit: null, after_exit: null }
const RETURNED = { status: 'Void', payout: '100.00' } as const
const BY_OPERATORS = 'An operator voided this trade and returned the stake: a wrong price.'

test('a won trade names its two prices', () => {
  expect(sentencesOf(receipt({}, {}, {}))).toEqual([
    'Entry 66,182.29 at 12:00:03.250, the first price after your order at 12:00:03.011.',
    'Exit 66,190.02 at 12:01:02.970, the last price before the end at 12:01:03.011.',
    'The exit is above the entry and you bought: you were paid $175.00.',
  ])
})

test('a lost trade and a draw say what they compare', () => {
  const lost = receipt({ side: 'Sell' }, { status: 'Lost', payout: '0.00' }, {})
  expect(sentencesOf(lost).at(-1)).toBe('The exit is above the entry and you sold: the stake was lost.')
  const draw = receipt({}, { status: 'Draw', payout: '100.00' }, { exit: tick(80, END - 41, '66182.29') })
  expect(sentencesOf(draw).at(-1)).toBe('The exit equals the entry: your stake of $100.00 was returned.')
})

test('a late settlement is named', () => {
  const late = receipt({}, {}, {})
  late.settlement.checkpoint.time = END + 720_000
  expect(sentencesOf(late).at(-1)).toBe('It was settled 12 min after the end.')
})

test('a time on another day has its date', () => {
  const end = START + 86_400_000
  const day = receipt({ end_time: end }, {}, { exit: tick(80, end - 41, '66190.02') })
  expect(sentencesOf(day)[1]).toContain('at 2026-11-23 12:00:02.970')
})

test.each([
  ['no entry', { entry: tick(7, START + 12_000, '66182.29'), exit: null, after_exit: null }, 'came at 12:00:15.011'],
  [
    'source changed',
    { change: tick(9, START + 30_000, '66183.00'), exit: null, after_exit: null },
    'changed at 12:00:33.011',
  ],
  ['no exit', { exit: tick(20, START + 5_000, '66184.00') }, 'came at 12:00:08.011 and was too old'],
  ['no exit', { exit: tick(7, START + 239, '66182.29') }, 'No price came between the entry and the end'],
  ['no entry', NO_TICKS, 'No price came in the 10 seconds after your order at 12:00:03.011'],
  ['by operators', NO_TICKS, 'Two operators voided this trade'],
] as const)('a void by %s says why and that the stake was returned', (decided, ticks, words) => {
  const voided = receipt({}, { ...RETURNED, reason: decided === 'by operators' ? BY_OPERATORS : '' }, ticks)
  expect(decidedBy(voided)).toBe(decided)
  expect(sentencesOf(voided).join(' ')).toContain(words)
  expect(sentencesOf(voided).at(-1)).toBe('Your stake of $100.00 was returned.')
})

test('the picture shows order and end between their neighbours, and higher prices higher', () => {
  const { panels, entryY, rows } = pictureOf(receipt({}, {}, {}))!
  const [entry, exit] = panels
  expect(panels.map(({ title, caption }) => `${title}: ${caption}`)).toEqual([
    'Entry: 0.239 s after the order',
    'Exit: 0.041 s before the end',
  ])
  for (const { marks, line } of panels) {
    expect(line!.x).toBeGreaterThan(marks[0]!.x + 10)
    expect(line!.x).toBeLessThan(marks[1]!.x - 10)
  }
  expect(entry!.marks[1]!.y).toBe(entryY)
  expect(entry!.marks[0]!.y).toBeGreaterThan(entryY!)
  expect(exit!.marks[0]!.y).toBeLessThan(entryY!)
  // A cent more is still visibly higher.
  expect(exit!.marks[0]!.y - exit!.marks[1]!.y).toBeGreaterThan(10)
  for (const { y } of panels.flatMap(({ marks }) => marks)) expect(y > 20 && y < HEIGHT - 20).toBe(true)
  expect(rows.map(({ word }) => word)).toEqual(['Before', 'Order', 'Entry', 'Exit', 'End', 'After'])
})

test('a void shows the prices that there are', () => {
  const late = receipt({}, RETURNED, {
    before_entry: null,
    entry: tick(7, START + 12_000, '66182.29'),
    exit: null,
    after_exit: null,
  })
  expect(pictureOf(late)!.rows.map(({ word }) => word)).toEqual(['Order', 'Too late'])
  const silent = receipt({}, RETURNED, { ...NO_TICKS, before_entry: tick(6, START - 300, '66180.10') })
  expect(pictureOf(silent)!.rows.map(({ word }) => word)).toEqual(['Before', 'Order'])
  expect(pictureOf(receipt({}, { ...RETURNED, reason: BY_OPERATORS }, NO_TICKS))).toBeUndefined()
  const changed = receipt({}, RETURNED, {
    change: tick(9, START + 30_000, '66183.00'),
    exit: null,
    after_exit: null,
  })
  expect(pictureOf(changed)!.panels[1]!.marks.map(({ word }) => word)).toEqual(['Other source'])
})

test.each([
  ['', 'is empty'],
  ['a photo', 'a receipt is a JSON file'],
  ['[1]', 'JSON, but not a receipt'],
  ['null', 'JSON, but not a receipt'],
  ['{"type":"invoice"}', 'JSON, but not a receipt'],
])('%j is no receipt, and the sentence says so', (text, words) => {
  expect(notReceipt(text)).toContain(words)
})

test('a receipt with mistakes is left to the check', () => {
  expect(notReceipt('{"type":"cleartick receipt"}')).toBeUndefined()
})

test('the picture of a sold trade ends with its sale', () => {
  const sale = { rule: 'SE-1', ordered_at: START + 20_000, minimum: '90.00', variance: 1, fee: '7.00' } as const
  const sold = {
    ...receipt({}, { status: 'Sold', payout: '98.00', sale } as never, {
      exit: tick(40, START + 20_500, '66184.00'),
      after_exit: null,
    }),
    sold: { variance_frame: 30, before: tick(39, START + 19_600, '66183.00') },
  } as Receipt
  const panel = pictureOf(sold)?.panels[1]
  expect(panel).toMatchObject({ title: 'Sale', caption: '0.500 s after the order to sell' })
  expect(panel?.line).toMatchObject({ word: 'Order to sell', time: START + 20_000 })
  expect(panel?.marks.map(({ kind, word }) => [kind, word])).toEqual([
    ['neighbour', 'Before'],
    ['exit', 'Sale'],
  ])
})
