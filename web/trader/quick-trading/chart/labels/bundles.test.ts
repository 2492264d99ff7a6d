import { describe, expect, test } from 'vitest'
import { bundlesOf, freeTags, type Line } from './bundles.ts'

const HEIGHT = 400
const line = (id: string, y: number, change: number | undefined = 75): Line => ({ id, y, change })
const summary = (lines: readonly Line[], height = HEIGHT) =>
  bundlesOf(lines, height).map((bundle) => ({
    ids: bundle.lines.map(({ id }) => id).join(''),
    y: bundle.y,
    sum: bundle.sum,
    winning: bundle.winning,
  }))

describe('bundles', () => {
  test.each<[what: string, lines: Line[], expected: ReturnType<typeof summary>]>([
    ['no trades', [], []],
    ['one trade', [line('A', 100)], [{ ids: 'A', y: 100, sum: 75, winning: 1 }]],
    [
      'lines 24 px apart stay apart',
      [line('A', 100), line('B', 124)],
      [
        { ids: 'A', y: 100, sum: 75, winning: 1 },
        { ids: 'B', y: 124, sum: 75, winning: 1 },
      ],
    ],
    [
      'lines closer than 24 px share one, at their middle',
      [line('A', 100), line('B', 123.5, -100)],
      [{ ids: 'AB', y: 111.75, sum: -25, winning: 1 }],
    ],
    [
      'each line within 24 px of the next one joins',
      [line('C', 140), line('A', 100), line('B', 120), line('D', 200)],
      [
        { ids: 'ABC', y: 120, sum: 225, winning: 3 },
        { ids: 'D', y: 200, sum: 75, winning: 1 },
      ],
    ],
    [
      'the same entry price: by id, whatever their order',
      [line('B', 100), line('A', 100)],
      [{ ids: 'AB', y: 100, sum: 150, winning: 2 }],
    ],
    ['even is neither won nor lost', [line('A', 100, 0)], [{ ids: 'A', y: 100, sum: 0, winning: 0 }]],
    [
      'a trade without its entry adds nothing',
      [line('A', 100, -100), { id: 'B', y: 100, change: undefined }],
      [{ ids: 'AB', y: 100, sum: -100, winning: 0 }],
    ],
    [
      'no entries, no sum',
      [{ id: 'A', y: 100, change: undefined }],
      [{ ids: 'A', y: 100, sum: undefined, winning: 0 }],
    ],
    [
      'lines out of view meet at the edges',
      [line('A', -900), line('B', -30), line('C', 2_000)],
      [
        { ids: 'AB', y: 13, sum: 150, winning: 2 },
        { ids: 'C', y: 387, sum: 75, winning: 1 },
      ],
    ],
  ])('%s', (_, lines, expected) => {
    expect(summary(lines)).toEqual(expected)
  })

  test('with 40 trades, every trade has one label, and no two overlap', () => {
    const many = Array.from({ length: 40 }, (_, i) =>
      line(String(i).padStart(2, '0'), (i * 137) % 900, i % 3 ? 75 : -100),
    )
    const bundles = bundlesOf(many, HEIGHT)
    expect(bundles.flatMap(({ lines }) => lines.map(({ id }) => id)).sort()).toEqual(many.map(({ id }) => id).sort())
    for (const [i, { y }] of bundles.entries()) if (i > 0) expect(y - bundles[i - 1]!.y).toBeGreaterThanOrEqual(24)
  })
})

describe('tags on the price axis', () => {
  const tags = (...ys: number[]) => ys.map((y) => ({ y }))
  test.each<[what: string, ys: number[], taken: number[], shown: number[]]>([
    ['all with 22 px between them', [100, 122, 60], [], [100, 122, 60]],
    ['the first of two that are closer', [100, 121], [], [100]],
    ['none next to the newest price', [100, 140], [110], [140]],
    ['one that a hidden tag does not push away', [100, 115, 130], [], [100, 130]],
  ])('%s', (_, ys, taken, shown) => {
    expect(freeTags(tags(...ys), taken)).toEqual(tags(...shown))
  })
})
