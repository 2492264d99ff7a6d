import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { paceWrites } from './paced-writes.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setImmediate', 'clearImmediate', 'performance'] })
})
afterEach(() => {
  vi.useRealTimers()
})

function opened() {
  const written: string[] = []
  const began = performance.now()
  const times: number[] = []
  const writes = paceWrites((bytes) => {
    written.push(bytes.toString())
    times.push(performance.now() - began)
  })
  return { written, times, flush: writes.flush, add: (...texts: string[]) => writes.add(texts.map(Buffer.from)) }
}

test('messages of one turn leave together when it ends', async () => {
  const { written, add } = opened()
  add('a', 'b')
  add('c')
  expect(written).toEqual([])
  await vi.advanceTimersByTimeAsync(0)
  expect(written).toEqual(['abc'])
  add('d')
  await vi.advanceTimersByTimeAsync(0)
  expect(written).toEqual(['abc', 'd'])
})

test('a receiver of many messages gets five writes at once, then ten a second, with all messages in order', async () => {
  const { written, times, add } = opened()
  for (let n = 0; n < 1_000; n += 10) {
    add(`${n} `)
    await vi.advanceTimersByTimeAsync(10)
  }
  await vi.advanceTimersByTimeAsync(1_000)
  expect(written.join('')).toBe(Array.from({ length: 100 }, (_, n) => `${10 * n} `).join(''))
  expect(times.slice(0, 5).every((time) => time < 60)).toBe(true)
  const pauses = times.slice(6).map((time, at) => time - times[at + 5]!)
  expect(pauses.length).toBeGreaterThan(5)
  for (const pause of pauses) expect(pause).toBeCloseTo(100, -1)
})

test('a receiver that was quiet for half a second waits for nothing again', async () => {
  const { written, add } = opened()
  for (let n = 0; n < 7; n++) {
    add('.')
    await vi.advanceTimersByTimeAsync(1)
  }
  expect(written.length).toBe(5)
  await vi.advanceTimersByTimeAsync(100)
  expect(written).toEqual(['.', '.', '.', '.', '.', '..'])
  await vi.advanceTimersByTimeAsync(600)
  for (let n = 0; n < 5; n++) {
    add('!')
    await vi.advanceTimersByTimeAsync(0)
  }
  expect(written.slice(6)).toEqual(['!', '!', '!', '!', '!'])
})

test('pending messages can be written at once, and leave only once', async () => {
  const { written, flush, add } = opened()
  flush()
  add('a')
  flush()
  add()
  await vi.advanceTimersByTimeAsync(1_000)
  expect(written).toEqual(['a'])
})
