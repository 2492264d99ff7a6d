import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import type { DeskProofKey } from '#contract/desk/office/proof-keys.ts'
import type { ProofKey } from '#contract/prices/proof.ts'
import { openProofKey } from '#server/proof/index.ts'
import { keyId, publishKey } from '#server/proof/keys/key.ts'
import { type DeskOperator, startDesk } from '#tests/support/people/desk.ts'
import { data, refusal, twenty } from '#tests/support/replies.ts'

/** A lost key of receipts: the engine's new one signs nothing until two admins begin it, for everyone to see. */
const { app, admin, risk, auditor, auditOf, stop } = await startDesk()
const folder = mkdtempSync(join(tmpdir(), 'cleartick-lost-key-'))
afterAll(async () => {
  await stop()
  rmSync(folder, { recursive: true })
})

interface Waiting {
  key: string
  proposal_id: string | null
}
const waiting = async (who = admin[0]!) => data<Waiting[]>(await who.ask('GET', '/waiting-proof-keys'))
const propose = (who: DeskOperator, key: string) =>
  who.ask('POST', '/proof-keys', { body: { key, reason: 'The disk with proof.key broke.' } })
const approve = (who: DeskOperator, id: string) => who.ask('POST', `/proof-keys/${id}/approve`)

test('after a lost key, two admins begin a new one, and it is published as unsigned', async () => {
  // The app publishes its own key with its first checkpoint.
  const { rowCount } = await app.pool.query('select from proof_keys')
  const first = randomBytes(32)
  if (rowCount === 0)
    await app.pool.query('insert into proof_keys (id, public_key) values ($1, $2)', [keyId(first), first])
  const key = openProofKey(folder)
  expect(await publishKey(app.db, key)).toBe(false)
  expect(await waiting()).toMatchObject([{ key: key.id, proposal_id: null }])
  expect((await risk[0]!.ask('GET', '/waiting-proof-keys')).status).toBe(403)
  expect(refusal(await propose(auditor, key.id))).toEqual([403, 'forbidden'])
  expect(refusal(await propose(admin[0]!, 'cd'.repeat(16)))).toEqual([404, 'not_found'])

  const { id } = data<DeskProofKey>(await propose(admin[0]!, key.id))
  expect(refusal(await propose(admin[1]!, key.id)), 'proposed once').toEqual([409, 'wrong_state'])
  expect(await waiting()).toMatchObject([{ key: key.id, proposal_id: id }])
  expect(refusal(await approve(admin[0]!, id))).toEqual([409, 'second_person_required'])
  expect(await publishKey(app.db, key), 'it still waits').toBe(false)
  const replies = await twenty(() => approve(admin[1]!, id))
  expect(replies.map(({ status }) => status).sort()).toEqual([200, ...Array(19).fill(409)])

  expect(await publishKey(app.db, key)).toBe(true)
  expect(await waiting()).toEqual([])
  const keys = data<ProofKey[]>(await app.send('GET', '/api/proof/keys'))
  expect(keys.find((one) => one.id === key.id)).toMatchObject({ unsigned_reason: 'The disk with proof.key broke.' })
  expect((await auditOf('proof-keys', id)).map(({ action, operator }) => [action, operator])).toEqual([
    ['approve', admin[1]!.email],
    ['propose', admin[0]!.email],
  ])
})
