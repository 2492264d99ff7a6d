/**
 * `npm run lab -- releases 0.1.0` makes the dump of a version: starts a small installation of this code, trades, deposits
 * and withdraws in it, and writes its rows, files and receipts to `lab/releases/`. `releases.test.ts` upgrades from it.
 */
import { chmodSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import sharp from 'sharp'
import { must } from '#kernel/must.ts'
import { call, discard, openSuper, type ServerProcess, startServer, traders } from '#tests/support/servers/server.ts'
import { verifyUser } from '#tests/support/trades/money.ts'
import { dumpInstallation, pack } from './dump.ts'

/** The most bytes of a packed release. */
export const LARGEST = 2_000_000
const RECEIPT_WITHIN_MS = 240_000

/** Makes the packed dump of a version. */
export async function makeRelease(version: string): Promise<Buffer> {
  const dataDir = mkdtempSync(join(tmpdir(), 'cleartick-release-'))
  // PostgreSQL runs as its own user, who has to pass through.
  chmodSync(dataDir, 0o711)
  const server = await startServer(dataDir, { CHECKPOINT_SECONDS: '5' })
  try {
    const people = await traders(server, dataDir, 3)
    const { db, close } = openSuper(dataDir)
    try {
      for (const { userId } of people) await verifyUser(db, userId)
      const trades: { token: string; id: string }[] = []
      for (const { token } of people)
        for (const order of ORDERS) trades.push({ token, id: await placed(server, token, order) })
      await moneyOf(server, must(people[0]).token)
      const receipts: string[] = []
      for (const trade of trades) receipts.push(await receiptOf(server, trade))
      const keys = await (await fetch(`${server.origin}/api/proof/keys`)).text()
      return pack(await dumpInstallation(db, dataDir, { version, keys, receipts }))
    } finally {
      await close()
    }
  } finally {
    await server.end('SIGTERM')
    await discard(dataDir)
  }
}

const ORDERS = [
  { symbol: 'BTCUSDT', trade_mode: 'Buy', mode: 'real' },
  { symbol: 'ETHUSDT', trade_mode: 'Sell', mode: 'real' },
  { symbol: 'BTCUSDT', trade_mode: 'Sell', mode: 'demo' },
] as const

async function placed(server: ServerProcess, token: string, order: object): Promise<string> {
  const terms = { trading_type: 'Cryptocurrency', amount: 12.34, duration: 60, strike_rate: '75/3' }
  const { status, json } = await call(server, 'POST', '/trading/submit', { token, body: { ...terms, ...order } })
  if (status !== 200) throw new Error(JSON.stringify(json))
  return (json.data as { trade_id: string }).trade_id
}

/** Submits a deposit with a payment proof, and requests a withdrawal. */
async function moneyOf(server: ServerProcess, token: string): Promise<void> {
  const picture = await sharp({ create: { width: 64, height: 64, channels: 3, background: 'teal' } })
    .jpeg()
    .toBuffer()
  const headers = { authorization: `Bearer ${token}` }
  const body = new FormData()
  body.set('usd_amount', '100')
  body.set('receipt', new Blob([new Uint8Array(picture)], { type: 'image/jpeg' }), 'receipt.jpg')
  const deposit = await fetch(`${server.origin}/api/deposit`, { method: 'POST', headers, body })
  if (!deposit.ok) throw new Error(await deposit.text())
  const wallet = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
  const withdrawal = await call(server, 'POST', '/withdraw', { token, body: { amount: 50, wallet } })
  if (withdrawal.status !== 200) throw new Error(JSON.stringify(withdrawal.json))
}

/** Waits until the trade is settled and in a checkpoint. Returns its receipt as it's downloaded. */
async function receiptOf(server: ServerProcess, { token, id }: { token: string; id: string }): Promise<string> {
  for (const until = performance.now() + RECEIPT_WITHIN_MS; performance.now() < until; await sleep(1_000)) {
    const { status, json } = await call(server, 'GET', `/trading/${id}/receipt`, { token })
    if (status === 200 && json.data) return JSON.stringify(json.data)
  }
  throw new Error(`the receipt of ${id} was not ready`)
}

if (import.meta.main) {
  const [version] = process.argv.slice(2)
  if (!version || !/^\d+\.\d+\.\d+$/.test(version)) {
    console.error('Name the version: npm run lab -- releases 0.1.0')
    process.exit(1)
  }
  const packed = await makeRelease(version)
  if (packed.length > LARGEST) throw new Error(`${packed.length} bytes are more than ${LARGEST}`)
  const file = fileURLToPath(new URL(`${version}.release`, import.meta.url))
  writeFileSync(file, packed)
  console.log(`${file}: ${packed.length} bytes. Check it with npm run lab -- releases, then commit it.`)
}
