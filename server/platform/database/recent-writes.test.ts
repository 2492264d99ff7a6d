import fc from 'fast-check'
import { expect } from 'vitest'
import { property } from '#tests/support/property.ts'
import { recentWrites } from './recent-writes.ts'

const caller = fc.constantFrom('ada', 'eve', 'bob', 'joy')
const event = fc.oneof(
  fc.record({ kind: fc.constant('wrote' as const), caller }),
  fc.record({ kind: fc.constant('missed' as const) }),
  fc.record({ kind: fc.constant('covers' as const), back: fc.integer({ min: 0, max: 8 }) }),
)

property(
  'a standby is read from only if it has what its caller wrote, however few callers are remembered',
  2_000,
  [fc.array(event, { maxLength: 60 }), fc.integer({ min: 1, max: 5 })],
  (events, max) => {
    const writes = recentWrites(max)
    const wrote = new Map<string, number>()
    let missed = Number.NEGATIVE_INFINITY
    let covered = -1
    for (const [now, one] of events.entries()) {
      if (one.kind === 'wrote') {
        writes.mark(one.caller, now)
        wrote.set(one.caller, now)
      } else if (one.kind === 'missed') {
        writes.markAll(now)
        missed = now
      } else {
        // A look that began some time ago; a standby never goes back.
        covered = Math.max(covered, now - one.back)
        writes.forget(covered)
      }
      expect(writes.size()).toBeLessThanOrEqual(max)
      for (const who of ['ada', 'eve', 'bob', 'joy', undefined]) {
        const needs = Math.max(missed, wrote.get(who ?? '') ?? Number.NEGATIVE_INFINITY)
        if (writes.isCovered(who, covered)) expect(covered).toBeGreaterThan(needs)
        // With room for all callers, nobody goes to the primary for another's write.
        else if (max >= 4) expect(covered).toBeLessThanOrEqual(needs)
      }
    }
  },
)
