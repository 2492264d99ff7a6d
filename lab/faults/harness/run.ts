import { setTimeout as sleep } from 'node:timers/promises'
import { draws } from '#tests/support/random.ts'
import { openClient } from './client.ts'
import type { Fault } from './faults/index.ts'
import { type Journal, openJournal } from './journal.ts'
import { converge, oneOfEach, startLoad } from './load.ts'
import { startObserver } from './observer.ts'
import type { Finding } from './verifier/finding.ts'
import { openVerifier, type Verifier } from './verifier/index.ts'
import type { Product } from './world.ts'

interface RunOptions<W extends Product> {
  open(): Promise<W>
  /** Returns the fault of the next round; undefined after the last one. */
  next(rounds: readonly Round[]): Fault<W> | undefined
  /** Number of injections of a kill or cut before the product is verified; a tenth of that for slow faults. */
  burst: number
  seed: number
  perSecond: number
  /** How long the load runs before the fault and after the recovery. */
  calmMs: number
  /** How long it runs before the first round, so that trades end during the faults; a trade lasts a minute. */
  warmUpMs: number
  /** Stop at the first finding, and don't wait until every trade is settled. */
  isBrief: boolean
  progress(text: string): void
}

/** The results of one round. */
export interface Round {
  fault: Pick<Fault, 'name' | 'says' | 'group'>
  /** Number of injected faults. */
  injected: number
  operations: number
  acknowledged: number
  /** Operations that were resent because their first outcome was unknown. */
  unknown: number
  /** From the end of the fault until all parts were up, ms. */
  recoveryMs: number
  /** Further measurements of this product, in ms. */
  figures: Record<string, number>
  findings: Finding[]
}

/** Runs the product under load, breaks it once a round, and verifies it after each. */
export async function run<W extends Product>(options: RunOptions<W>): Promise<Round[]> {
  const world = await options.open()
  const rounds: Round[] = []
  try {
    await world.start()
    const journal = openJournal()
    const client = openClient(world, journal)
    const observer = startObserver(world)
    try {
      const verifier = openVerifier(world, journal, observer, client)
      await Promise.all([client.operatorToken(0), client.operatorToken(1)])
      const { seed, perSecond, warmUpMs } = options
      const before = startLoad(client, journal, { seed, perSecond, traders: world.people.traders.length })
      await sleep(warmUpMs)
      await before.stop()
      for (let fault = options.next(rounds); fault; fault = options.next(rounds)) {
        const number = rounds.length
        const seed = options.seed * 1_000 + number
        const round = await oneRound({ ...options, world, journal, client, verifier, fault, seed })
        rounds.push(round)
        options.progress(
          `${number + 1} ${fault.name}: ${round.operations} operations, up after ${Math.round(round.recoveryMs)} ms, ${round.findings.length} findings`,
        )
        for (const { check, says } of round.findings) options.progress(`  ${check}: ${says}`)
        if (options.isBrief && round.findings.length > 0) return rounds
      }
      // The last trades end a minute after they were placed. Wait for them and verify once more.
      const last = rounds.at(-1)
      if (last && !options.isBrief) last.findings.push(...(await settleAll(world, verifier).catch(unverified)))
    } finally {
      await observer.stop()
    }
  } finally {
    await world.close()
  }
  return rounds
}

interface RoundContext<W extends Product> extends RunOptions<W> {
  world: W
  journal: Journal
  client: ReturnType<typeof openClient>
  verifier: Verifier
  fault: Fault<W>
}

async function oneRound<W extends Product>(context: RoundContext<W>): Promise<Round> {
  const { world, journal, client, verifier, fault, seed, perSecond, calmMs } = context
  const given = { world, journal, draw: draws(seed), verifier, client }
  const before = journal.entries.length
  const findings: Finding[] = []
  let [injected, unknown, recoveryMs] = [0, 0, 0]
  const from = Date.now()
  let recoveredAt = from
  const failed = (error: unknown) =>
    void findings.push({ check: 'recovers', says: error instanceof Error ? error.message : String(error) })
  try {
    if (fault.enter) {
      await world.stop()
      await fault.enter(given)
      await world.healthy()
    }
    const load = startLoad(client, journal, { seed, perSecond, traders: world.people.traders.length })
    try {
      await sleep(calmMs + given.draw.below(1_000))
      const times = timesOf(fault, context.burst)
      for (let time = 0; time < times; time++) {
        injected += await fault.inject(given)
        recoveryMs = Math.max(recoveryMs, await world.healthy())
        recoveredAt = Date.now()
      }
      await sleep(calmMs)
    } finally {
      await load.stop()
    }
  } catch (error) {
    failed(error)
  }
  try {
    if (fault.leave) {
      if (findings.length === 0) await world.stop()
      else await world.kill()
      await fault.leave(given)
      await world.start()
      await world.healthy()
      recoveredAt = Date.now()
    }
    unknown = journal.unknown().length
    await converge(client, journal)
    if (findings.length === 0) await oneOfEach(client, journal, given.draw.below(world.people.traders.length))
    await converge(client, journal)
  } catch (error) {
    failed(error)
  }
  if (findings.length === 0) {
    const span = { from, to: recoveredAt, ...(fault.clockJumps ? { clockJumped: true } : {}) }
    findings.push(...(await verifier.verify(span).catch(unverified)))
    findings.push(...((await world.examine?.(from).catch(unverified)) ?? []))
  }
  const mine = journal.entries.slice(before)
  return {
    fault,
    injected,
    operations: mine.reduce((sum, entry) => sum + entry.sent, 0),
    acknowledged: mine.filter(({ outcome }) => outcome.kind === 'acknowledged').length,
    unknown,
    recoveryMs,
    figures: (await world.figures?.(from).catch(() => undefined)) ?? {},
    findings,
  }
}

function timesOf({ group, isSlow }: Pick<Fault, 'group' | 'isSlow'>, burst: number): number {
  if (group !== 'kill' && group !== 'cut') return 1
  return isSlow ? Math.ceil(burst / 10) : burst
}

/** Returns the finding for a product that can't be verified: it isn't up. */
const unverified = (error: unknown): Finding[] => [{ check: 'recovers', says: `it can't be verified: ${error}` }]

const TRADE_MS = 60_000

/** Waits until every trade is settled, and verifies the whole run. */
async function settleAll({ database }: Product, verifier: Verifier): Promise<Finding[]> {
  for (const until = performance.now() + TRADE_MS + 30_000; performance.now() < until; await sleep(500)) {
    const open = await database.db.selectFrom('trades').select('id').where('status', '=', 'Pending').limit(1).execute()
    if (open.length === 0) return verifier.verify({ from: Date.now(), to: Date.now() }).catch(unverified)
  }
  return [{ check: 'in-time', says: 'trades stay pending' }]
}
