import { isDeepStrictEqual } from 'node:util'
import type { Parsed } from '#contract/api.ts'
import {
  DEFAULT_DEPTH_USD,
  DEFAULT_STALE_AFTER_MS,
  DeskInstrumentChange,
  type InstrumentTerms,
  type instrumentChangeCalls,
} from '#contract/desk/instrument-changes.ts'
import { type InstrumentChangeKind, QUEUES } from '#contract/desk/terms.ts'
import { fieldProblem, Problem } from '#contract/problem.ts'
import { type Db, sql, type Tx } from '../../platform/database/db.ts'
import type { WhoOperates } from '../../platform/http/index.ts'
import {
  addInstrument,
  type ChangeableTerms,
  changeTerms,
  findInstrument,
  type NewInstrument,
  setClosedReason,
  withdrawInstrument,
} from '../../prices/index.ts'
import {
  decided,
  type Proposal,
  type ProposalColumns,
  type ProposalKind,
  proposalColumns,
  proposalFields,
  proposalJoins,
  proposed,
} from '../actions/proposals.ts'
import { audited } from '../audit/audited.ts'
import type { DeskDeps } from '../deps.ts'
import { filtered, inOrder } from '../lists/read.ts'
import { oneOf, type Proposed } from './queue.ts'

type Pair = Omit<NewInstrument, keyof ChangeableTerms>
type None<Fields> = { [Field in keyof Fields]: null }

/** What is proposed: an instrument to add, new terms of one, or the reason for closing one. */
type Change = { symbol: string; closed_reason: string | null } & (
  | ({ kind: 'add' } & Pair & ChangeableTerms)
  | ({ kind: 'change' } & None<Pair> & ChangeableTerms)
  | ({ kind: Exclude<InstrumentChangeKind, 'add' | 'change'> } & None<Pair> & None<ChangeableTerms>)
)

type InstrumentChangeRow = ProposalColumns &
  Change & { id: string; now: { base: string; quote: string; scale: number; terms: InstrumentTerms } | null }
type InstrumentChange = Proposal & Change

const NAMES: Record<InstrumentChangeKind, string> = {
  add: 'Add',
  change: 'Change terms of',
  close: 'Close',
  reopen: 'Reopen',
  withdraw: 'Withdraw',
}

const NO_PAIR = { base: null, quote: null, trading_type: null, scale: null } as const
const NO_TERMS = {
  min_sources: null,
  depth_usd: null,
  largest_spread_bps: null,
  largest_deviation_bps: null,
  stale_after_ms: null,
  venues: null,
  demo_only: null,
} as const

/** Instrument changes: proposed by one admin on the page of instruments, decided by another. */
export const instrumentChanges: Proposed<
  'instrument-changes',
  keyof typeof instrumentChangeCalls,
  InstrumentChangeRow,
  InstrumentChange
> = {
  name: 'instrument-changes',
  schema: DeskInstrumentChange,
  pending: sql`select id, proposed_at, 0 from instrument_changes where status = 'Pending'`,
  rows: (filter, page) => sql`
    select c.id::text, c.kind, c.symbol, c.base, c.quote, c.trading_type, c.scale, c.min_sources, c.depth_usd,
      c.largest_spread_bps, c.largest_deviation_bps, c.stale_after_ms, c.venues, c.demo_only, c.closed_reason, ${proposalColumns('c')},
      (select json_build_object('base', i.base, 'quote', i.quote, 'scale', i.scale, 'terms', json_build_object(
          'min_sources', i.min_sources, 'depth_usd', i.depth_usd, 'largest_spread_bps', i.largest_spread_bps,
          'largest_deviation_bps', i.largest_deviation_bps, 'stale_after_ms', i.stale_after_ms, 'venues', i.venues,
          'demo_only', i.demo_only))
        from instruments i where i.symbol = c.symbol and c.kind = 'change' and c.status = 'Pending') as now
    from instrument_changes c ${proposalJoins('c')}
    where ${filtered('c', filter, page)}
    ${inOrder('c.id', page)}`,
  view: (row, who) => ({
    id: row.id,
    kind: row.kind,
    symbol: row.symbol,
    ...pairOf(row),
    terms: row.min_sources === null ? null : termsOf(row),
    now: row.now,
    closed_reason: row.closed_reason,
    name: `${NAMES[row.kind]} ${row.symbol}`,
    ...proposalFields(row),
    own: row.proposer === String(who.operatorId),
  }),
  kind: instrumentChangeKind,
}

const pairOf = <C extends { [Field in keyof Pair]: unknown }>(row: C): Pick<C, keyof Pair> => ({
  base: row.base,
  quote: row.quote,
  trading_type: row.trading_type,
  scale: row.scale,
})

const termsOf = <C extends { [Field in keyof ChangeableTerms]: unknown }>(row: C): Pick<C, keyof ChangeableTerms> => ({
  min_sources: row.min_sources,
  depth_usd: row.depth_usd,
  largest_spread_bps: row.largest_spread_bps,
  largest_deviation_bps: row.largest_deviation_bps,
  stale_after_ms: row.stale_after_ms,
  venues: row.venues,
  demo_only: row.demo_only,
})

/** Returns what an audit row says about a change. */
function factsOf(change: Change): object {
  const { kind, symbol, closed_reason } = change
  const facts = { kind, symbol, ...pairOf(change), ...termsOf(change), closed_reason }
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== null))
}

/** Approving takes effect on every node within seconds. Throws `wrong_state` too, if the instrument has changed. */
function instrumentChangeKind(deps: DeskDeps): ProposalKind<InstrumentChange, DeskInstrumentChange> {
  return {
    name: 'instrument-changes',
    of: QUEUES['instrument-changes'].of,
    lock: async (tx, id) =>
      (await tx.selectFrom('instrument_changes').selectAll().where('id', '=', id).forUpdate().executeTakeFirst()) as
        | InstrumentChange
        | undefined,
    store: (tx, { id }, decision, who) =>
      tx.updateTable('instrument_changes').set(decided(decision, who)).where('id', '=', id).execute(),
    async carryOut(tx, change) {
      if (change.kind === 'add')
        await addInstrument(tx, { ...pairOf(change), ...termsOf(change) }, await withdrawals(tx))
      else if (change.kind === 'change') await changeTerms(tx, change.symbol, termsOf(change))
      else if (change.kind === 'withdraw') await withdrawInstrument(tx, change.symbol)
      else await setClosedReason(tx, change.symbol, change.closed_reason)
      tx.afterCommit(() => deps.prices.operatorsChanged(), { once: 'instruments' })
      return undefined
    },
    facts: factsOf,
    async change(tx, change, { status }) {
      const found = change.kind === 'change' ? await findInstrument(tx, change.symbol) : undefined
      return {
        before: { status: 'Pending', ...(found && termsOf(found)) },
        after: { status, ...factsOf(change) },
      }
    },
    show: async (tx, who, id) => (await oneOf({ ...deps, db: tx }, instrumentChanges, who, id))!,
  }
}

/** How many instruments were ever withdrawn. */
async function withdrawals(tx: Tx): Promise<number> {
  const { count } = await tx
    .selectFrom('instrument_changes')
    .select(({ fn }) => fn.countAll<bigint>().as('count'))
    .where('kind', '=', 'withdraw')
    .where('status', '=', 'Approved')
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** Returns the symbol of a pair that can be an instrument. */
export function checkPair(base: string, quote: string): string {
  if (base === quote) throw fieldProblem('quote', 'must be another currency than the base')
  if (base.length + quote.length > 20)
    throw fieldProblem('quote', 'must have at most 20 characters together with the base')
  return base + quote
}

/** Returns the newest closings of instruments that lasted until a time or later, with when each reopened. */
export async function closingsSince(
  db: Db,
  since: number,
  limit: number,
): Promise<{ symbol: string; reason: string; from: Date; to: Date | null }[]> {
  const { rows } = await sql<{ symbol: string; reason: string; from: Date; to: Date | null }>`
    select c.symbol, c.closed_reason as reason, c.decided_at as from, n.decided_at as to
    from instrument_changes c
    left join lateral (
      select r.decided_at from instrument_changes r
      where r.symbol = c.symbol and r.status = 'Approved' and r.kind in ('reopen', 'close', 'withdraw') and r.decided_at > c.decided_at
      order by r.decided_at limit 1
    ) n on true
    where c.kind = 'close' and c.status = 'Approved' and coalesce(n.decided_at, 'infinity') >= ${new Date(since)}
    order by c.decided_at desc limit ${limit}`.execute(db)
  return rows
}

/** Proposes an instrument. Throws `wrong_state` if its symbol exists, or is proposed already. */
export async function proposeInstrument(
  deps: DeskDeps,
  who: WhoOperates,
  { reason, venues, ...rest }: Parsed<'POST /desk/instruments', 'body'>,
): Promise<DeskInstrumentChange> {
  const symbol = checkPair(rest.base, rest.quote)
  const { depth_usd = DEFAULT_DEPTH_USD, stale_after_ms = DEFAULT_STALE_AFTER_MS, demo_only = false, ...typed } = rest
  const terms = { ...typed, depth_usd, stale_after_ms, venues: venues ?? null, demo_only }
  const change: Change = { kind: 'add', symbol, ...terms, closed_reason: null }
  await checkVenues(deps, change)
  return propose(deps, who, change, reason, async (tx) => {
    if (await findInstrument(tx, symbol)) throw new Problem('wrong_state', `${symbol} exists already.`)
  })
}

/** Proposes new terms. Throws `not_found`, and `wrong_state` if they are the same or a change is pending. */
export async function proposeInstrumentTerms(
  deps: DeskDeps,
  who: WhoOperates,
  { symbol, reason, venues, demo_only = false, ...rest }: Parsed<'POST /desk/instruments/change', 'body'>,
): Promise<DeskInstrumentChange> {
  const terms: ChangeableTerms = { ...rest, venues: venues ?? null, demo_only }
  await checkVenues(deps, terms)
  const change: Change = { kind: 'change', symbol, ...NO_PAIR, ...terms, closed_reason: null }
  return propose(deps, who, change, reason, async (tx) => {
    if (isDeepStrictEqual(termsOf(await existing(tx, symbol)), termsOf(terms)))
      throw new Problem('wrong_state', `These are the terms of ${symbol} already.`)
  })
}

/** Proposes to withdraw an instrument. Throws `not_found`, and `wrong_state` if it has had a price or a change is pending. */
export function proposeInstrumentWithdrawal(
  deps: DeskDeps,
  who: WhoOperates,
  { symbol, reason }: Parsed<'POST /desk/instruments/withdraw', 'body'>,
): Promise<DeskInstrumentChange> {
  const change: Change = { kind: 'withdraw', symbol, ...NO_PAIR, ...NO_TERMS, closed_reason: null }
  return propose(deps, who, change, reason, async (tx) => {
    if ((await existing(tx, symbol)).has_had_price)
      throw new Problem('wrong_state', `${symbol} has had a price, so it can't be withdrawn. Close it.`)
  })
}

/** Rejects terms that no price can ever satisfy. */
async function checkVenues(
  { prices }: Pick<DeskDeps, 'prices'>,
  { venues, min_sources }: Pick<ChangeableTerms, 'venues' | 'min_sources'>,
): Promise<void> {
  if (venues === null) return
  if (venues.length < min_sources)
    throw fieldProblem('venues', `must name at least ${min_sources}, because a price needs as many`)
  const known = (await prices.reports()).venues.map(({ venue }) => venue)
  const unknown = known.length > 0 && venues.find((venue) => !known.includes(venue))
  if (unknown) throw fieldProblem('venues', `${unknown} is not in use. In use are ${known.join(', ')}`)
}

/** Proposes to close an instrument. Throws `not_found`, and `wrong_state` if it is closed or a change is pending. */
export function proposeInstrumentClosing(
  deps: DeskDeps,
  who: WhoOperates,
  { symbol, closed_reason, reason }: Parsed<'POST /desk/instruments/close', 'body'>,
): Promise<DeskInstrumentChange> {
  const change: Change = { kind: 'close', symbol, ...NO_PAIR, ...NO_TERMS, closed_reason: closed_reason.toWellFormed() }
  return propose(deps, who, change, reason, async (tx) => {
    if ((await existing(tx, symbol)).closed_reason !== null)
      throw new Problem('wrong_state', `${symbol} is closed already.`)
  })
}

/** Proposes to reopen an instrument. Throws `not_found`, and `wrong_state` if it is open or a change is pending. */
export function proposeInstrumentReopening(
  deps: DeskDeps,
  who: WhoOperates,
  { symbol, reason }: Parsed<'POST /desk/instruments/reopen', 'body'>,
): Promise<DeskInstrumentChange> {
  const change: Change = { kind: 'reopen', symbol, ...NO_PAIR, ...NO_TERMS, closed_reason: null }
  return propose(deps, who, change, reason, async (tx) => {
    if ((await existing(tx, symbol)).closed_reason === null) throw new Problem('wrong_state', `${symbol} is open.`)
  })
}

async function existing(tx: Tx, symbol: string) {
  const found = await findInstrument(tx, symbol)
  if (!found) throw new Problem('not_found', 'Symbol not found.')
  return found
}

/** Stores a proposal that `check` lets through. */
function propose(
  deps: DeskDeps,
  who: WhoOperates,
  change: Change,
  reason: string,
  check: (tx: Tx) => Promise<void>,
): Promise<DeskInstrumentChange> {
  return audited(deps.db, who, async (tx) => {
    const row = await tx
      .insertInto('instrument_changes')
      .values({ ...change, reason: reason.toWellFormed(), proposed_by: who.operatorId })
      // A literal: with a parameter, a prepared statement does not find the partial index.
      .onConflict((conflict) => conflict.column('symbol').where('status', '=', sql.lit('Pending')).doNothing())
      .returning('id')
      .executeTakeFirst()
    if (!row)
      throw new Problem(
        'wrong_state',
        `A change of ${change.symbol} has already been proposed. Ask another operator to decide.`,
      )
    // After the insert, which waits for a decision about the same instrument.
    await check(tx)
    return proposed(tx, who, instrumentChangeKind(deps), row.id, {
      after: { status: 'Pending', ...factsOf(change) },
      why: reason,
    })
  })
}
