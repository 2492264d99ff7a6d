import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { ProofKey } from '#contract/prices/proof.ts'
import { checkReceipt } from './check.ts'

const FOLDER = join(import.meta.dirname, '../../packages/verify/version-1')
const read = (name: string) => readFileSync(join(FOLDER, name), 'utf8')

test('a receipt is compared with the order hash that was kept', async () => {
  const published = (JSON.parse(read('keys.json')) as { data: ProofKey[] }).data
  const text = read('won-buy-real.json')
  expect(await checkReceipt(text, published)).toMatchObject({ ok: true })
  const compared = await checkReceipt(text, published, 'ab'.repeat(32))
  expect(compared.ok).toBe(false)
  expect(compared.steps.find(({ ok }) => !ok)?.says).toMatch(/^A receipt of version 1 holds no hash of the order/)
})
