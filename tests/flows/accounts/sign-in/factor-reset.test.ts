import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { DeskUserPicture } from '#contract/desk/people/users.ts'
import { type DeskOperator, operator } from '#tests/support/people/desk.ts'
import { sharedApp, type Trader, type WholeApp } from '#tests/support/servers/app.ts'
import { connectTo } from '#tests/support/servers/database.ts'
import { totpCode } from '#tests/support/totp-code.ts'

let app: WholeApp
let one: DeskOperator
let two: DeskOperator
let onlooker: pg.Client
beforeAll(async () => {
  app = await sharedApp()
  one = await operator(app, ['compliance'])
  two = await operator(app, ['compliance', 'auditor'])
  onlooker = await connectTo(app.superUrl)
})
afterAll(async () => {
  const broken = await app.broken()
  await onlooker.end()
  await app.stop()
  expect(broken).toEqual([])
})

const REASON = { body: { reason: 'Shown their ID on a video call' } }

/** Creates a trader with an authenticator app. */
async function protectedTrader(): Promise<{ trader: Trader; secret: string }> {
  const trader = await app.confirmedTrader()
  const { token, password } = trader
  const begun = await app.send('POST', '/api/auth/2fa/totp', { token, body: { password } })
  const { secret } = begun.json!.data as { secret: string }
  const body = { code: totpCode(secret) }
  const enrolled = await app.send('POST', '/api/auth/2fa/totp/confirm', { token, body })
  expect(enrolled.status, enrolled.text).toBe(200)
  return { trader, secret }
}
const propose = async (trader: Trader): Promise<string> => {
  const reply = await one.ask('POST', `/users/${trader.id}/factor-resets`, REASON)
  expect(reply.status, reply.text).toBe(200)
  return (reply.json!.data as { id: string }).id
}
const approve = async (id: string) => {
  const reply = await two.ask('POST', `/factor-resets/${id}/approve`)
  expect(reply.status, reply.text).toBe(200)
  return reply.json!.data as { status: string; due_at: string }
}
const factors = async ({ token }: Trader) =>
  (await app.send('GET', '/api/auth/2fa', { token })).json!.data as { on: boolean; reset: unknown }
const picture = async (trader: Trader) =>
  (await one.ask('GET', `/users/${trader.id}`)).json!.data as unknown as DeskUserPicture
const refusal = ({ status, json }: { status: number; json?: { code?: string } | undefined }) => [status, json?.code]
/** Backdates a reset by the 24 hours. */
async function backdate(id: string): Promise<void> {
  await onlooker.query('set session_replication_role = replica')
  await onlooker.query(shortened, [id])
  await onlooker.query('set session_replication_role = origin')
}
const shortened = `update factor_resets set due_at = due_at - interval '24 hours' where id = $1`
async function until(holds: () => Promise<boolean>): Promise<void> {
  for (let waitedMs = 0; !(await holds()); waitedMs += 50) {
    if (waitedMs > 10_000) throw new Error('the condition was not met within 10 s')
    await sleep(50)
  }
}
const actionsOn = async (id: string) =>
  (
    await onlooker.query(`select action from audit where item_kind = 'factor-resets' and item_id = $1 order by n`, [id])
  ).rows.map((row: { action: string }) => row.action)

describe('a second factor reset', () => {
  test('takes two compliance operators and 24 hours, and the trader is e-mailed', async () => {
    const { trader } = await protectedTrader()
    const id = await propose(trader)
    expect(refusal(await one.ask('POST', `/factor-resets/${id}/approve`)), 'the proposer').toEqual([
      409,
      'second_person_required',
    ])
    expect((await factors(trader)).reset, 'proposed only').toBeNull()
    const approved = await approve(id)
    const waitHours = (Date.parse(approved.due_at) - Date.now()) / 3_600_000
    expect(waitHours).toBeGreaterThan(23.9)
    expect(refusal(await two.ask('POST', `/factor-resets/${id}/approve`)), 'again').toEqual([409, 'wrong_state'])
    expect(await app.hashFor(trader.email, /second factor will be removed/)).toMatch(/^[\w-]{43}$/)
    expect(await factors(trader)).toMatchObject({ on: true, reset: { takes_effect_at: approved.due_at } })
    expect(await picture(trader)).toMatchObject({
      second_factor: { totp: true, passkeys: 0, recovery_codes_left: 10 },
      factor_resets: [{ id, status: 'Approved' }],
    })
    // Not before it's due, however often the server polls.
    await sleep(2_500)
    expect((await factors(trader)).on).toBe(true)

    await backdate(id)
    await until(async () => !(await factors(trader)).on)
    const { email, password } = trader
    expect((await app.send('POST', '/api/auth/login', { body: { email, password } })).status).toBe(200)
    expect((await picture(trader)).factor_resets[0]).toMatchObject({ id, status: 'Done' })
    expect(await actionsOn(id)).toEqual(['propose', 'approve', 'done'])
  })

  test('the trader stops it with the link in the e-mail, once and without signing in', async () => {
    const { trader } = await protectedTrader()
    const id = await propose(trader)
    await approve(id)
    const hash = await app.hashFor(trader.email, /second factor will be removed/)
    const stop = () => app.send('POST', '/api/auth/2fa/reset/stop', { body: { hash } })
    expect((await stop()).status).toBe(200)
    expect(refusal(await stop())).toEqual([422, 'invalid_hash'])
    const again = onlooker.query('update factor_resets set outcome = null, ended_at = null where id = $1', [id])
    await expect(again, 'what was stopped stays stopped').rejects.toThrow(/final/)
    await sleep(2_500)
    expect(await factors(trader)).toMatchObject({ on: true, reset: null })
    expect(await actionsOn(id)).toEqual(['propose', 'approve', 'stop'])
    // It can be proposed again.
    await propose(trader)
  })

  test('the trader stops it from a signed-in session', async () => {
    const { trader } = await protectedTrader()
    const id = await propose(trader)
    const stop = () => app.send('DELETE', '/api/auth/2fa/reset', { token: trader.token })
    expect(refusal(await stop()), 'proposed only').toEqual([409, 'wrong_state'])
    await approve(id)
    expect((await stop()).status).toBe(200)
    expect(refusal(await stop())).toEqual([409, 'wrong_state'])
    const hash = await app.hashFor(trader.email, /second factor will be removed/)
    const late = await app.send('POST', '/api/auth/2fa/reset/stop', { body: { hash } })
    expect(refusal(late), 'the link is spent with it').toEqual([422, 'invalid_hash'])
    expect((await factors(trader)).on).toBe(true)
  })

  test('is rejected for other roles, own accounts, accounts without a factor, and while one is open', async () => {
    const { trader } = await protectedTrader()
    const finance = await operator(app, ['finance', 'support', 'risk', 'admin'])
    expect((await finance.ask('POST', `/users/${trader.id}/factor-resets`, REASON)).status).toBe(403)
    const without = await app.confirmedTrader()
    expect(refusal(await one.ask('POST', `/users/${without.id}/factor-resets`, REASON))).toEqual([409, 'wrong_state'])
    const self = await operator(app, ['compliance'], trader.email)
    expect(refusal(await self.ask('POST', `/users/${trader.id}/factor-resets`, REASON))).toEqual([409, 'own_item'])
    const id = await propose(trader)
    expect(refusal(await two.ask('POST', `/users/${trader.id}/factor-resets`, REASON))).toEqual([409, 'wrong_state'])
    expect(refusal(await self.ask('POST', `/factor-resets/${id}/approve`))).toEqual([409, 'own_item'])
    const rejected = await two.ask('POST', `/factor-resets/${id}/reject`, REASON)
    expect(rejected.json!.data).toMatchObject({ status: 'Rejected' })
    expect((await factors(trader)).on).toBe(true)
  })

  test('no operator can shorten the delay, not even in the database', async () => {
    const { trader } = await protectedTrader()
    const id = await propose(trader)
    await approve(id)
    await expect(onlooker.query(shortened, [id])).rejects.toThrow(/final/)
    await expect(
      onlooker.query(`update factor_resets set outcome = 'Done', ended_at = now() where id = $1`, [id]),
    ).rejects.toThrow(/factor_resets_not_early/)
    const { trader: other } = await protectedTrader()
    const next = await propose(other)
    const start = `insert into factor_resets (id, user_id, due_at) values (${next}, ${other.id}, now() + interval '23 hours')`
    await expect(onlooker.query(start), 'not approved').rejects.toThrow(/not approved by two/)
    await onlooker.query('begin')
    await onlooker.query(
      `update proposals set status = 'Approved', decided_by = (select id from operators where id <> proposed_by limit 1)
       where kind = 'factor-resets' and id = ${next}`,
    )
    await expect(onlooker.query(start), 'approved, but too short').rejects.toThrow(/24 hours to stop it/)
    await onlooker.query('rollback')
  })
})
