import { expect, test } from 'vitest'
import { first, last, must } from './must.ts'

test('return what is there, falsy values too', () => {
  expect([must(0), must(''), must(false), must(0n)]).toEqual([0, '', false, 0n])
  expect([first([7, 8]), last([7, 8]), first('ab'), last(Uint8Array.of(1, 2))]).toEqual([7, 8, 'a', 2])
})

test('throw where something is missing', () => {
  for (const missing of [() => must(undefined), () => must(null), () => first([]), () => last([]), () => first([null])])
    expect(missing).toThrow('A value is missing that must be there.')
})
