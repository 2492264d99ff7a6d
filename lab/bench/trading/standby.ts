/**
 * The cost of waiting for a standby at each commit: accepted trades with each value of `synchronous_commit`, on a
 * primary with one synchronous standby that also syncs to disk. The values alternate. Ratios are relative to `local`,
 * which is what a primary without a synchronous standby does. Both servers share this machine's processors and disk: on
 * separate machines, ratios are better and times longer by a network round trip.
 *
 *   node lab/bench/trading/standby.ts [rounds] [seconds a slice] [callers]
 */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { makeStandby } from '#tests/support/servers/standby.ts'
import { openAcceptor } from '../support/acceptor.ts'
import { checkInvariants } from '../support/invariants.ts'
import { benchPostgres, median, traders } from '../support/postgres.ts'

const ROUNDS = Number(process.argv[2] ?? 5)
const SECONDS = Number(process.argv[3] ?? 3)
const CALLERS = Number(process.argv[4] ?? 64)
const ACCOUNTS = 50_000
const VALUES = ['local', 'off', 'remote_write', 'on', 'remote_apply'] as const

const postgres = await benchPostgres()
const folder = mkdtempSync(join(tmpdir(), 'cleartick-bench-standby-'))
// PostgreSQL may run as another user.
chmodSync(folder, 0o711)
try {
  await traders(postgres, ACCOUNTS)
  const standby = await makeStandby(postgres.superUrl, {
    folder: join(folder, 'postgres'),
    name: 'one',
    settings: { fsync: 'on', full_page_writes: 'on', shared_buffers: '256MB' },
  })
  try {
    await postgres.run("alter system set synchronous_standby_names = 'one'")
    const acceptor = openAcceptor(postgres.urls.app, { accounts: ACCOUNTS })
    const commitAs = async (value: string) => {
      await postgres.run(`alter system set synchronous_commit = '${value}'`)
      await postgres.run('select pg_reload_conf()')
      // Wait until each session has reloaded it, which happens before its next statement.
      await sleep(200)
    }
    await commitAs('on')
    await acceptor.slice(CALLERS, SECONDS)
    const ratios = new Map(
      VALUES.map((value) => [value, { rate: [] as number[], p50: [] as number[], p99: [] as number[] }]),
    )
    for (let round = 1; round <= ROUNDS; round++) {
      let local = { perSecond: 1, p50: 1, p99: 1 }
      for (const value of VALUES) {
        await commitAs(value)
        const found = await acceptor.slice(CALLERS, SECONDS)
        if (value === 'local') local = found
        const of = ratios.get(value)!
        of.rate.push(found.perSecond / local.perSecond)
        of.p50.push(found.p50 / local.p50)
        of.p99.push(found.p99 / local.p99)
        console.log(
          `round ${round}, load ${loadavg()[0]!.toFixed(1)}: ${value.padEnd(12)} ${found.perSecond.toFixed(0)} trades/s, p50 ${found.p50.toFixed(1)} ms, p99 ${found.p99.toFixed(1)} ms`,
        )
      }
    }
    console.log(`\ncompared with local, median of ${ROUNDS} rounds, ${CALLERS} callers`)
    for (const [value, { rate, p50, p99 }] of ratios)
      console.log(
        `${value.padEnd(12)} x${median(rate).toFixed(2)} trades, x${median(p50).toFixed(2)} p50, x${median(p99).toFixed(2)} p99`,
      )
    await acceptor.close()
    await checkInvariants(postgres.superUrl, { except: ['T8'] })
  } finally {
    await standby.kill()
  }
} finally {
  await postgres.stop()
  rmSync(folder, { recursive: true, force: true })
}
