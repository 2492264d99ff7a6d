import { expect, test } from 'vitest'
import { chosen } from './primary.ts'
import { rememberTimeline } from './timelines.ts'

const at = (port: number, system: string, timeline: number) => ({
  server: `postgres://user:password@127.0.0.1:${port}/name`,
  system,
  timeline,
})

test('two installations of which none was seen before are both refused', () => {
  const say = "127.0.0.1:1 and 127.0.0.1:2 aren't copies of one installation"
  expect(() => chosen([at(1, 'A', 1), at(2, 'B', 1)], [], undefined)).toThrow(say)
  expect(chosen([at(1, 'A', 1)], [], undefined).server).toContain(':1/')
})

test('of two installations the one that was seen before is ours, whatever its timeline', () => {
  rememberTimeline('C', 2)
  expect(chosen([at(1, 'C', 2), at(2, 'D', 7)], [], undefined).server).toContain(':1/')
  expect(chosen([at(1, 'C', 2), at(2, 'D', 7)], [], 'C').server).toContain(':1/')
  expect(() => chosen([at(2, 'D', 7)], [], 'C')).toThrow('127.0.0.1:2 is another installation of PostgreSQL')
  expect(() => chosen([at(1, 'C', 1)], [], 'C')).toThrow('127.0.0.1:1 is a primary that was replaced by a failover')
})
