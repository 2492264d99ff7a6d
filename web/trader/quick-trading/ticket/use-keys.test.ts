import { expect, test } from 'vitest'
import { keyMeaning } from './use-keys.ts'

const nowhere = { inText: false, inDialog: false }

test('letters trade, digits choose the duration', () => {
  expect(['b', 'B', 's', 'S', '?'].map((key) => keyMeaning(key, nowhere))).toEqual([
    'buy',
    'buy',
    'sell',
    'sell',
    'help',
  ])
  expect(keyMeaning('1', nowhere)).toEqual({ duration: 60 })
  expect(keyMeaning('8', nowhere)).toEqual({ duration: 86_400 })
})

test('other keys mean nothing; arrows change the stake only inside its field', () => {
  for (const key of ['9', '0', 'x', '/', 'Enter', ' ', 'Tab', 'ArrowUp', 'ArrowDown'])
    expect(keyMeaning(key, nowhere), key).toBeUndefined()
})

test('ignores keys while typing or in a dialog', () => {
  for (const key of ['b', 's', '1', '?']) {
    expect(keyMeaning(key, { ...nowhere, inText: true })).toBeUndefined()
    expect(keyMeaning(key, { ...nowhere, inDialog: true })).toBeUndefined()
  }
})
