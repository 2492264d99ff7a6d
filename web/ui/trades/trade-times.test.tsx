import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { TradeTimes } from './trade-times.tsx'

const TRADE = { trade_time: '2026-11-20T10:00:00.120Z', end_time: '2026-11-20T10:30:00.120Z' }
const ENTRY = { entry_price: '70000.5', entry_time: '2026-11-20T10:00:00.400Z' }
const EXIT = { exit_price: '70010', exit_time: '2026-11-20T10:12:00.300Z' }

const namesOf = (trade: Parameters<typeof TradeTimes>[0]['trade']) =>
  [...renderToStaticMarkup(<TradeTimes trade={trade} scale={2} />).matchAll(/<dt[^>]*>([^<]+)</g)].map(
    ([, name]) => name,
  )

test('names the moments of a trade by what it has come to', () => {
  const before = ['Placed', 'Entry price', 'Entry time']
  expect(namesOf({ ...TRADE, ...ENTRY, status: 'Pending' })).toEqual([...before, 'Ends', 'Exit price'])
  expect(namesOf({ ...TRADE, ...ENTRY, ...EXIT, status: 'Won' })).toEqual([
    ...before,
    'Ended',
    'Exit price',
    'Exit time',
  ])
  expect(namesOf({ ...TRADE, ...ENTRY, ...EXIT, status: 'Sold' })).toEqual([...before, 'Sold', 'Exit price'])
  expect(namesOf({ ...TRADE, status: 'Void' })).toEqual(['Placed', 'Entry price', 'Ended', 'Exit price'])
})
