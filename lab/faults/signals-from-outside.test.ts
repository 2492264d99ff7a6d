import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { DEFAULT_AUTOMATION, DEFAULT_FOLLOWED } from '#contract/trading/automatic.ts'
import type { OwnStrategy } from '#contract/trading/own-strategies.ts'
import type { SignalAddress } from '#contract/trading/webhooks.ts'
import { SECOND_MS } from '#kernel/time.ts'
import { type Db, sql } from '#server/platform/database/db.ts'
import { startTape, type Tape } from '#tests/e2e/support/servers/tape.ts'
import { startTapeDatabases } from '#tests/e2e/support/servers/tape-databases.ts'
import { call, openSuper, type Trader, traders } from '#tests/support/servers/server.ts'
import { broken } from '#tests/support/trades/crowd.ts'
import { confirmAddress } from '#tests/support/trades/money.ts'

const ROUNDS = 3
const STRATEGIES = 2
const FOLLOWERS = 2
const MOST_TRIES = 6
const SYMBOLS = ['BTCUSDT', 'ETHUSDT']

let folder: string
let databases: { stop(): Promise<void> }
let tape: Tape
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'cleartick-signals-'))
  chmodSync(folder, 0o711)
  databases = await startTapeDatabases(join(folder, 'tapes'))
  tape = await startTape()
})
afterAll(async () => {
  await tape.stop()
  await databases.stop()
  rmSync(folder, { recursive: true, force: true })
})

/** Makes a call that must succeed; returns its data. */
async function ask<T>({ token }: Trader, method: string, path: string, body?: unknown): Promise<T> {
  const { status, json } = await call(tape, method, path, { token, key: crypto.randomUUID(), body })
  expect(status, `${method} ${path}: ${JSON.stringify(json)}`).toBe(200)
  return json.data as T
}

interface Published extends Pick<OwnStrategy, 'key'> {
  /** The secret of its address. */
  secret: string
}

/** Publishes a strategy whose signals come from outside, for trades of a minute. */
async function publish(author: Trader, number: number): Promise<Published> {
  const body = { name: `Sender ${number}`, duration: 60, symbols: SYMBOLS }
  const { id, key } = await ask<OwnStrategy>(author, 'POST', '/strategies/webhook', body)
  await ask(author, 'PUT', `/strategies/${id}/signals`, { on: true })
  await ask(author, 'POST', `/strategies/${id}/publish`, { name: `Sender ${number}` })
  const { url } = await ask<SignalAddress>(author, 'POST', `/strategies/${id}/address`)
  return { key, secret: url.split('/').at(-1)! }
}

/** Starts automatic trades that no stop ends. */
async function follow(follower: Trader, strategies: readonly Published[]): Promise<void> {
  const followed = strategies.map(({ key }) => ({ ...DEFAULT_FOLLOWED, strategy: key, stake: 1 }))
  const limits = { loss_a_day: 500, loss_in_all: 500, losses_in_row: null }
  await ask(follower, 'PUT', '/automatic', { ...DEFAULT_AUTOMATION, ...limits, mode: 'demo', strategies: followed })
  await ask(follower, 'POST', '/automatic/start', { mode: 'demo' })
}

interface Message {
  secret: string
  body: { symbol: string; side: string; time: string }
}

async function messagesFor(strategies: readonly Published[]): Promise<Message[]> {
  const time = new Date(await tape.now()).toISOString()
  return strategies.flatMap(({ secret }, at) =>
    SYMBOLS.map((symbol) => ({ secret, body: { symbol, side: at % 2 ? 'buy' : 'sell', time } })),
  )
}

const send = (messages: readonly Message[]): Promise<number[]> =>
  Promise.all(
    messages.map(async ({ secret, body }) => (await call(tape, 'POST', `/webhooks/${secret}`, { body })).status),
  )

/** Holds the lock under which signals are written, so that messages stay pending. Returns what releases it. */
async function holdSignals(db: Db): Promise<() => Promise<void>> {
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const { promise: held, resolve: hold } = Promise.withResolvers<void>()
  const holding = db.transaction().execute(async (tx) => {
    await sql`select from signal_head for update`.execute(tx)
    hold()
    await released
  })
  await held
  return async () => {
    release()
    await holding
  }
}

/** Advances past the end of signals and trades, so that a strategy can have the next ones. */
async function passTheirEnd(db: Db): Promise<void> {
  await tape.advance(70 * SECOND_MS)
  const open = async () => {
    const { rows } = await sql<{ n: number }>`
      select (select count(*) from signals where status = 'Pending' and starts_with(strategy, 'own-'))::int
        + (select count(*) from trades where status = 'Pending')::int as n`.execute(db)
    return rows[0]!.n
  }
  await expect.poll(open, { timeout: 30_000 }).toBe(0)
}

async function countOf(db: Db, what: 'accepted' | 'pending'): Promise<number> {
  const { rows } = await sql<{ accepted: number; pending: number }>`
    select count(*)::int as accepted, (count(*) filter (where signal is null and void is null))::int as pending
    from received_signals where void is distinct from 'repeated'`.execute(db)
  return rows[0]![what]
}

/** How many followers traded the newest message. */
async function followersOfLast(db: Db): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*)::int as n from trades where signal = (select signal from received_signals order by id desc limit 1)`.execute(
    db,
  )
  return rows[0]!.n
}

test('kill -9 between a message from outside and its signal, three times: each is one signal or void as late', async () => {
  const { db, close } = openSuper(tape.dataDir)
  const people = await traders(tape, tape.dataDir, STRATEGIES + FOLLOWERS)
  const [authors, followers] = [people.slice(0, STRATEGIES), people.slice(STRATEGIES)]
  const strategies: Published[] = []
  for (const [at, author] of authors.entries()) {
    await confirmAddress(db, author.userId)
    strategies.push(await publish(author, at + 1))
  }
  await tape.advance(2 * SECOND_MS)
  for (const follower of followers) await follow(follower, strategies)

  let accepted = 0
  for (let round = 1; round <= ROUNDS; round++) {
    const release = await holdSignals(db)
    const messages = await messagesFor(strategies)
    expect(await send(messages)).toEqual(messages.map(() => 200))
    accepted += messages.length
    expect(await countOf(db, 'pending'), 'nothing has become of them').toBe(messages.length)
    await tape.kill()
    await release()
    expect(await countOf(db, 'pending')).toBe(messages.length)

    await tape.restart()
    await expect.poll(() => countOf(db, 'pending'), { timeout: 30_000 }).toBe(0)
    expect(await countOf(db, 'accepted'), 'none is lost').toBe(accepted)
    // Their senders, who saw the connection end, send them again.
    expect(await send(messages)).toEqual(messages.map(() => 409))
    await passTheirEnd(db)
  }
  // A slow machine may take longer than the seconds within which a signal can be followed.
  for (let followers = 0; followers < FOLLOWERS; ) {
    const [message] = await messagesFor(strategies)
    expect(await send([message!]), 'signals from outside still work').toEqual([200])
    accepted++
    expect(accepted, 'and are followed').toBeLessThan(ROUNDS * STRATEGIES * SYMBOLS.length + MOST_TRIES)
    await expect.poll(() => countOf(db, 'pending'), { timeout: 30_000 }).toBe(0)
    await passTheirEnd(db)
    followers = await followersOfLast(db)
  }

  const { rows } = await sql<{ became: string; signals: number }>`
    select coalesce(r.void, 'signal') as became,
      (select count(*)::int from signals s where s.strategy = 'own-' || r.strategy_id and s.n = r.signal) as signals
    from received_signals r where r.void is distinct from 'repeated' order by r.id`.execute(db)
  expect(rows).toHaveLength(accepted)
  for (const { became, signals } of rows)
    expect([`${became}: ${signals}`]).toEqual([became === 'late' ? 'late: 0' : 'signal: 1'])
  const { rows: strays } = await sql`
    select n from signals s where starts_with(strategy, 'own-') and not exists (select from received_signals r where r.signal = s.n)`.execute(
    db,
  )
  expect(strays, 'every signal has its message').toEqual([])
  const { rows: twice } = await sql`
    select signal from trades where signal is not null group by account_id, signal having count(*) > 1`.execute(db)
  expect(twice).toEqual([])
  await close()
  expect(await broken(tape.dataDir)).toEqual([])
}, 400_000)
