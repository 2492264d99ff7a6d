import { expect, test } from 'vitest'
import type { Trade } from '#contract/trading/trading.ts'
import { price } from '#kernel/price.ts'
import type { FrameEvent, Tick } from '../../../prices/index.ts'
import { entryWatch, type Watched } from './entry-watch.ts'

const AT = 1_790_000_000_000
const tick = (symbolId: number, sourceMs: number): Tick => ({
  symbol: `S${symbolId}`,
  symbolId,
  price: price(100n),
  scale: 2,
  sourceMs,
  seq: 1,
  kind: 2,
})
const trade = (id: bigint, tradeTime = AT, symbolId = 1): Watched => ({
  id,
  userId: 7n,
  symbolId,
  tradeTime,
  shown: { trade_id: String(id) } as Trade,
})

/** A watch that has seen one frame before the trades, and a way to add frames: their time after the trades, and ticks. */
function begun() {
  const watch = entryWatch()
  let n = 1
  const frame = (afterMs: number, ...entries: Tick[]): FrameEvent => ({ n: n++, t: AT + afterMs, entries })
  watch.frame(frame(-250, tick(1, AT - 300), tick(2, AT - 300)))
  return { watch, frame, pass: (afterMs: number, ...ticks: Tick[]) => entered(watch.frame(frame(afterMs, ...ticks))) }
}
const entered = (some: readonly { trade: Watched; entry: Tick | undefined }[]) =>
  some.map((one) => [one.trade.id, one.entry && one.entry.sourceMs - AT])

test('a trade has its entry with the first frame that has a later tick of its symbol', () => {
  const { watch, pass } = begun()
  expect([watch.add(trade(1n)), watch.add(trade(2n, AT + 200)), watch.add(trade(3n, AT, 2))]).toEqual([
    undefined,
    undefined,
    undefined,
  ])
  expect(watch.waiting()).toBe(3)
  expect(pass(0, tick(1, AT))).toEqual([])
  expect(pass(250, tick(1, AT + 200))).toEqual([[1n, 200]])
  expect(watch.waiting()).toBe(2)
  expect(pass(500, tick(1, AT + 450), tick(2, AT + 300))).toEqual([
    [2n, 450],
    [3n, 300],
  ])
  expect(pass(750, tick(1, AT + 700))).toEqual([])
  expect(watch.waiting()).toBe(0)
})

test('an entry that passed before the trade was known is found at once, and it is the first one', () => {
  const { watch, pass } = begun()
  pass(250, tick(2, AT + 100))
  pass(500, tick(1, AT + 400))
  pass(750, tick(1, AT + 700))
  const found = watch.add(trade(1n))
  expect(found && entered([found])).toEqual([[1n, 400]])
  expect(watch.waiting()).toBe(0)
})

test('a tick that is too late is no entry, and the trade is not watched any longer', () => {
  const { watch, pass } = begun()
  watch.add(trade(1n))
  watch.add(trade(2n, AT + 1))
  expect(pass(10_250, tick(1, AT + 10_001))).toEqual([[2n, 10_001]])
  expect(watch.waiting()).toBe(0)
  // Also if it has passed already.
  expect(watch.add(trade(3n, AT + 300))).toBeUndefined()
  const { watch: late, pass: passLate } = begun()
  for (let ms = 0; ms < 10_000; ms += 1_000) passLate(ms)
  passLate(9_750, tick(1, AT + 10_001))
  expect(late.add(trade(1n))).toBeUndefined()
  expect(late.waiting()).toBe(0)
})

test('a trade without a tick is watched until one would be too late, even in the frame that is latest for it', () => {
  const { watch, pass } = begun()
  watch.add(trade(1n))
  watch.add(trade(2n))
  pass(13_000)
  expect(watch.waiting()).toBe(2)
  expect(pass(13_001, tick(1, AT + 10_000))).toEqual([
    [1n, 10_000],
    [2n, 10_000],
  ])
  watch.add(trade(3n, AT + 13_001))
  pass(26_002)
  expect(watch.waiting()).toBe(0)
})

test('a trade that was settled meanwhile has no news of its entry', () => {
  const { watch, pass } = begun()
  watch.add(trade(1n))
  watch.add(trade(2n))
  watch.add(trade(3n, AT, 2))
  watch.settled(new Set([1n, 3n, 9n]))
  expect(watch.waiting()).toBe(1)
  expect(pass(250, tick(1, AT + 200), tick(2, AT + 200))).toEqual([[2n, 200]])
})

test("a trade from before this node's first frame is not watched: its entry may have passed", () => {
  const watch = entryWatch()
  expect(watch.add(trade(1n))).toBeUndefined()
  watch.frame({ n: 1, t: AT + 1, entries: [] })
  expect(watch.add(trade(1n))).toBeUndefined()
  expect(watch.waiting()).toBe(0)
  watch.add(trade(2n, AT + 1))
  expect(watch.waiting()).toBe(1)
})

test('frames older than ten seconds are forgotten, and so are trades from before them', () => {
  const { watch, pass } = begun()
  pass(10_000)
  expect(watch.add(trade(1n))).toBeUndefined()
  expect(watch.waiting()).toBe(0)
  watch.add(trade(2n, AT + 10_000))
  expect(watch.waiting()).toBe(1)
})

test('after a hole in the frames nobody knows the entries of the trades that waited', () => {
  const { watch, frame } = begun()
  watch.add(trade(1n))
  frame(250)
  expect(entered(watch.frame(frame(500, tick(1, AT + 400))))).toEqual([[1n, undefined]])
  expect(watch.waiting()).toBe(0)
  expect(watch.add(trade(2n))).toBeUndefined()
  expect(watch.waiting()).toBe(0)
  watch.add(trade(3n, AT + 500))
  expect(entered(watch.frame(frame(750, tick(1, AT + 700))))).toEqual([[3n, 700]])
})
