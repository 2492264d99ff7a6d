import { expect, test } from 'vitest'
import { keyMeaning } from './use-keys.ts'

const nowhere = { inText: false, inDialog: false, ownArrows: false }

test('letters trade, digits choose the duration, arrows the stake', () => {
  expect(['b', 'B', 's', 'S', '/', '?'].map((key) => keyMeaning(key, nowhere))).toEqual([
    'buy',
    'buy',
    'sell',
    'sell',
    'search',
    'help',
  ])
  expect(keyMeaning('1', nowhere)).toEqual({ duration: 60 })
  expect(keyMeaning('8', nowhere)).toEqual({ duration: 86_400 })
  expect(keyMeaning('ArrowUp', nowhere)).toEqual({ step: 1 })
  expect(keyMeaning('ArrowDown', nowhere)).toEqual({ step: -1 })
})

test('other keys mean nothing', () => {
  expect(['9', '0', 'x', 'Enter', ' ', 'Tab'].map((key) => keyMeaning(key, nowhere))).toEqual(Array(6).fill(undefined))
})

test('ignores keys while typing or in a dialog', () => {
  for (const key of ['b', 's', '1', '/', '?', 'ArrowUp']) {
    expect(keyMeaning(key, { ...nowhere, inText: true })).toBeUndefined()
    expect(keyMeaning(key, { ...nowhere, inDialog: true })).toBeUndefined()
  }
})

test('radio buttons and lists keep their arrows', () => {
  expect(keyMeaning('ArrowUp', { ...nowhere, ownArrows: true })).toBeUndefined()
  expect(keyMeaning('b', { ...nowhere, ownArrows: true })).toBe('buy')
})
