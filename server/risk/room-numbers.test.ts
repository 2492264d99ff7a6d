import { expect, test } from 'vitest'
import { factorRoom, roomsOf, symbolRoom } from './room-numbers.ts'

test('a trade takes its profit from the rooms of the moves that it wins by', () => {
  const ethbtc = { id: 7, base: 'ETH', quote: 'BTC' }
  expect(roomsOf(ethbtc, 'Buy', false)).toEqual([factorRoom('ETH', 'up'), factorRoom('BTC', 'down')])
  expect(roomsOf(ethbtc, 'Sell', true)).toEqual([
    factorRoom('ETH', 'down'),
    factorRoom('BTC', 'up'),
    symbolRoom(7, 'down'),
  ])
})

test('no trade is without a room: two coins of one factor have one for their symbol, with a limit or without', () => {
  const ltcbch = { id: 9, base: 'LTC', quote: 'BCH' }
  for (const isLimited of [false, true]) {
    expect(roomsOf(ltcbch, 'Buy', isLimited)).toEqual([symbolRoom(9, 'up')])
    expect(roomsOf(ltcbch, 'Sell', isLimited)).toEqual([symbolRoom(9, 'down')])
  }
})
