import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { unpack } from './dump.ts'
import { UPGRADE_WITHIN_MS, upgrade } from './upgrade.ts'

/** Every released version upgrades to this one: its rows, files and receipts hold. */
const RELEASED = readdirSync(import.meta.dirname).filter((name) => name.endsWith('.release'))

test('there are releases', () => {
  expect(RELEASED.length).toBeGreaterThan(0)
})

test.each(RELEASED)(
  '%s upgrades to this version',
  (name) => upgrade(unpack(readFileSync(join(import.meta.dirname, name)))),
  UPGRADE_WITHIN_MS,
)
