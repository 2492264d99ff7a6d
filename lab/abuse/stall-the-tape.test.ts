import { randomUUID } from 'node:crypto'
import { expect, test, vi } from 'vitest'
import { WebSocket } from 'ws'
import { accountOf } from '#server/ledger/index.ts'
import { sql } from '#server/platform/database/db.ts'
import {
  barrage,
  formOfFields,
  JSON_TYPE,
  networkNumber,
  type Shot,
  unknownFields,
  watchTape,
} from '#tests/support/attack.ts'
import { BEHIND_PROXY } from '#tests/support/servers/app.ts'
import { openSuper, type ServerProcess, startServer } from '#tests/support/servers/server.ts'
import { broken, crowd, healthy } from '#tests/support/trades/crowd.ts'

const TRADERS = 20
const CLIENTS = 50
const ROUND_MS = 7_000
const { freshData, person, submitTo } = crowd(TRADERS)

/** Starts the server as shipped, behind a proxy that passes on client addresses: each attacker has its own network. */
async function startUnderAttack(dataDir: string): Promise<ServerProcess> {
  const server = await startServer(dataDir, { RATE_LIMITS: 'on', ...BEHIND_PROXY })
  await healthy(server)
  await longStatements(dataDir)
  return server
}

/** Gives every trader a statement of 5,000 lines. */
async function longStatements(dataDir: string): Promise<void> {
  const { pool, close } = openSuper(dataDir)
  const client = await pool.connect()
  try {
    await client.query("set session_replication_role = 'replica'")
    for (let number = 0; number < TRADERS; number++) {
      const account = accountOf(person(number).userId, 'demo')
      await client.query(
        `insert into transfers (cause, cause_id, part, account_id, mode, debit, credit, amount, account_seq, balance_after, at)
         select 'adjust', 1000000000000::bigint * ${account} + n, 1, ${account}, 'demo', case n % 2 when 1 then 'house' else 'balance' end::slot,
           case n % 2 when 1 then 'balance' else 'house' end::slot, 100, n + 1, 1000000 + 100 * (n % 2), clock_timestamp()
         from generate_series(1, 5000) n`,
      )
      await client.query(`update accounts set seq = 5001, last_at = clock_timestamp() where id = ${account}`)
    }
  } finally {
    client.release()
    await close()
  }
}

const query = Array.from({ length: 1_500 }, (_, n) => `k${n}=1`).join('&')
const manyFields = formOfFields(4_000)
const day = new Date().toISOString().slice(0, 10)

const ATTACKS: [name: string, shot: (client: number, n: number) => Shot][] = [
  [
    'JSON of 7,500 unknown fields',
    () => ({
      method: 'POST',
      path: '/api/auth/login',
      headers: JSON_TYPE,
      body: unknownFields(7_500)
        .slice(0, 65_000)
        .replace(/,[^,]*$/, '}'),
    }),
  ],
  [
    'JSON of 6 MB to an upload, without a session',
    () => ({ method: 'POST', path: '/api/deposit', headers: JSON_TYPE, body: `[${'1,'.repeat(3_000_000)}1]` }),
  ],
  [
    'JSON of 6 MB to the upload that needs no session',
    () => ({
      method: 'POST',
      path: '/api/users/user-identification',
      headers: JSON_TYPE,
      body: `[${'1,'.repeat(3_000_000)}1]`,
    }),
  ],
  ['forms of 4,000 fields', () => ({ method: 'POST', path: '/api/users/user-identification', ...manyFields })],
  ['queries of 1,500 unknown keys', () => ({ method: 'GET', path: `/api/health?${query}` })],
  [
    'candles from before what memory holds',
    (client, n) => ({
      method: 'GET',
      path: `/api/prices/candles?symbol=BTCUSDT&interval=5s&limit=1000&before=${Date.now() - 7_200_000 - (client * 1_000 + n) * 5_000}`,
    }),
  ],
  [
    'statements as PDF',
    (client) => ({
      method: 'GET',
      path: `/api/statement?mode=demo&from=${day}&to=${day}&format=pdf`,
      headers: { authorization: `Bearer ${person(client % TRADERS).token}` },
    }),
  ],
]

test('no hostile client delays a frame by a second or changes a trade', async () => {
  const dataDir = freshData()
  const server = await startUnderAttack(dataDir)
  // The ledger's checks report the planted rows of the long statements; the attack must not add to them.
  const planted = await broken(dataDir)
  const submit = submitTo(() => server)
  for (const trader of [0, 1, 2, 3])
    expect(await submit(trader, randomUUID(), 100 + trader)).toMatchObject({ kind: 'accepted' })
  const tape = await watchTape(server.origin)
  const gaps: string[] = []
  let before = 0
  for (const [name, shot] of ATTACKS) {
    const statuses = await barrage(server.origin, { clients: CLIENTS, forMs: ROUND_MS, shot })
    // Traders can still trade under attack.
    expect(await submit(4, randomUUID(), 105), name).toMatchObject({ kind: 'accepted' })
    gaps.push(`${name}: ${tape.longestGapMs()} ms, ${JSON.stringify([...statuses])}`)
    expect(tape.longestGapMs(), gaps.join('\n')).toBeLessThanOrEqual(1_000)
    expect(tape.frames() - before, `${name}: frames`).toBeGreaterThan((ROUND_MS / 1_000) * 2)
    before = tape.frames()
  }
  const sockets = await socketFlood(server)
  expect(tape.longestGapMs(), `sockets\n${gaps.join('\n')}`).toBeLessThanOrEqual(1_000)
  expect([...sockets.values()]).toEqual(Array.from({ length: 10 }, () => 200))
  tape.close()

  const { db, close } = openSuper(dataDir)
  try {
    const ended = sql<{ status: string; entered_after: number; left_before: number }>`
      select status, entry_time - trade_time as entered_after, end_time - exit_time as left_before from trades
      where end_time < (select t from tape_head)`
    const settled = await vi.waitFor(
      async () => {
        const { rows } = await ended.execute(db)
        expect(rows.length).toBeGreaterThanOrEqual(4)
        // A trade that has only just ended may need a moment to settle.
        expect(rows.map(({ status }) => status)).not.toContain('Pending')
        return rows
      },
      { timeout: 20_000 },
    )
    for (const trade of settled) {
      expect(['Won', 'Lost', 'Draw']).toContain(trade.status)
      expect(Number(trade.entered_after)).toBeLessThanOrEqual(1_000)
      expect(Number(trade.left_before)).toBeLessThanOrEqual(1_000)
    }
  } finally {
    await close()
  }
  await wellButForPayouts(server)
  expect(await broken(dataDir)).toEqual(planted)
  expect(await server.end('SIGTERM')).toBe(0)
})

/** Waits until the server is healthy again, except for payouts, which the planted rows rightly halt. */
async function wellButForPayouts({ origin }: ServerProcess): Promise<void> {
  const wrong = async () => {
    const answer = await fetch(`${origin}/api/health`)
    return answer.ok ? '' : ((await answer.json()) as { message: string }).message
  }
  await vi.waitUntil(async () => /^(payouts: [^;]*)?$/.test(await wrong()), { timeout: 30_000, interval: 100 })
}

/** Opens more sockets than ten networks may have, and starts a chat on each. Returns how many stay, by network. */
async function socketFlood(server: ServerProcess): Promise<Map<string, number>> {
  const open = new Map<string, number>()
  const add = (network: string, sockets: number) => open.set(network, (open.get(network) ?? 0) + sockets)
  const sockets: WebSocket[] = []
  for (let round = 0; round < 30; round++) {
    await Promise.all(
      Array.from({ length: 100 }, (_, n) => {
        const network = networkNumber(200 + (n % 10))
        const socket = new WebSocket(`${server.origin.replace('http', 'ws')}/api/stream`, {
          headers: { 'x-forwarded-for': network },
        })
        sockets.push(socket)
        return new Promise<void>((resolve) => {
          socket.on('open', () => {
            add(network, 1)
            // The oldest of a network makes room for the newest.
            socket.on('close', () => add(network, -1))
            for (let message = 0; message < 15; message++) socket.send('{"op":"chat"}')
            resolve()
          })
          socket.on('error', () => resolve())
        })
      }),
    )
  }
  await vi.waitUntil(() => Math.max(...open.values()) <= 200, { timeout: 20_000 })
  const left = new Map(open)
  for (const socket of sockets) socket.terminate()
  return left
}
