import fc from 'fast-check'
import { expect, test } from 'vitest'
import { LOOSE_TERMS } from '#tests/support/prices/price-scene.ts'
import { property } from '#tests/support/property.ts'
import { agree } from './agree.ts'
import { type FinePrice, fineText, parseFine, toScale } from './fine-price.ts'

const at = (text: string) => ({ price: parseFine(text)! })
const of = (...texts: string[]) => agree(texts.map(at), LOOSE_TERMS)
const text = (found: { price: FinePrice | undefined }) => found.price && fineText(found.price, 4)

test('is the middle one of three and the mean of the middle two of four, rounded half up', () => {
  expect(text(of('101', '100', '100.5'))).toBe('100.5000')
  expect(text(of('100', '100.1', '100.2', '100.3'))).toBe('100.1500')
  expect(toScale(of('100.00', '100.01').price!, 2)).toBe(10_001n)
  expect(toScale(of('0.000000000000001', '0.000000000000001').price!, 15)).toBe(1n)
})

test('drops one that is ten times off', () => {
  const found = of('100', '1000', '100.2')
  expect(text(found)).toBe('100.1000')
  expect(found.outliers).toEqual([at('1000')])
})

test('has no price when too few have one, or when nobody knows who is right', () => {
  expect(of()).toMatchObject({ price: undefined, why: 'sources' })
  expect(of('100')).toMatchObject({ price: undefined, why: 'sources' })
  expect(of('100', '105')).toMatchObject({ price: undefined, why: 'disagree' })
  // Each is close to the middle of both, but not to the other.
  expect(of('100', '101.5')).toMatchObject({ price: undefined, why: 'disagree' })
  // Two agree, but half is no majority.
  expect(of('90', '100', '100.1', '110')).toMatchObject({ kept: [at('100'), at('100.1')], why: 'disagree' })
  expect(of('100', '100.5', '105', '105.5')).toMatchObject({ price: undefined, why: 'disagree' })
  expect(of('100', '105', '110')).toMatchObject({ price: undefined, why: 'disagree' })
  expect(text(agree([at('100')], { ...LOOSE_TERMS, minSources: 1 }))).toBe('100.0000')
})

/** Some venues tell the truth, within half the largest deviation; fewer say anything at all. */
const venues = fc.integer({ min: 2, max: 8 }).chain((honest) =>
  fc.record({
    level: fc.bigInt(10n ** 11n, 10n ** 26n),
    honest: fc.array(fc.integer({ min: -490_000, max: 490_000 }), { minLength: honest, maxLength: honest }),
    liars: fc.array(
      fc.oneof(
        // Anything, or as close to the limit as a liar can get.
        fc.bigInt(1n, 10n ** 31n).map((price) => ({ price })),
        fc.integer({ min: -2_000_000, max: 2_000_000 }).map((off) => ({ off })),
      ),
      { maxLength: honest - 1 },
    ),
    seed: fc.integer(),
  }),
)
/** `off`: hundred-millionths of the level. */
const moved = (level: bigint, off: number) => (level + (level * BigInt(off)) / 100_000_000n) as FinePrice

property('liars in the minority never move the price out of what honest venues say', 20_000, [venues], (drawn) => {
  const honest = drawn.honest.map((off) => ({ price: moved(drawn.level, off), isHonest: true }))
  const liars = drawn.liars.map((lie) => ({
    price: 'price' in lie ? (lie.price as FinePrice) : moved(drawn.level, lie.off),
    isHonest: false,
  }))
  const order = [...honest, ...liars].sort(
    (a, b) => Number((a.price * BigInt(drawn.seed)) % 7n) - Number((b.price * BigInt(drawn.seed)) % 7n),
  )
  const found = agree(order, LOOSE_TERMS)
  const prices = honest.map(({ price }) => price)
  expect(found.price).toBeDefined()
  expect(prices.some((price) => price <= found.price!)).toBe(true)
  expect(prices.some((price) => price >= found.price!)).toBe(true)
  expect(found.outliers.filter(({ isHonest }) => isHonest)).toEqual([])
})

property(
  'the order of the venues and how they are scaled change nothing',
  2_000,
  [fc.array(fc.bigInt(10n ** 12n, 10n ** 25n), { maxLength: 9 }), fc.integer({ min: 1, max: 1000 })],
  (prices, factor) => {
    const sources = prices.map((price) => ({ price: price as FinePrice }))
    const found = agree(sources, LOOSE_TERMS)
    expect(agree(sources.toReversed(), LOOSE_TERMS)).toEqual(found)
    const larger = agree(
      sources.map(({ price }) => ({ price: (price * BigInt(2 * factor)) as FinePrice })),
      LOOSE_TERMS,
    )
    expect(larger.why).toBe(found.why)
    expect(larger.outliers.map(({ price }) => price)).toEqual(
      found.outliers.map(({ price }) => price * BigInt(2 * factor)),
    )
  },
)
