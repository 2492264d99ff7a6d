import { isDeepStrictEqual } from 'node:util'
import type { Parsed } from '#contract/api.ts'
import {
  DEFAULT_DEPTH_USD,
  DEFAULT_STALE_AFTER_MS,
  DeskInstrumentChange,
  type InstrumentTerms,
} from '#contract/desk/markets/instrument-changes.ts'
import { type InstrumentChangeKind, QUEUES } from '#contract/desk/terms.ts'
import { fieldProblem, Problem } from '#contract/problem.ts'
import { must } from '#kernel/must.ts'
import { type Ms, toIso } from '#kernel/time.ts'
import { type Db, sql, type Tx } from '../../../platform/database/db.ts'
import type { WhoOperates } from '../../../platform/http/index.ts'
import {
  addInstrument,
  type ChangeableTerms,
  changeTerms,
  findInstrument,
  type NewInstrument,
  setClosedReason,
  withdrawInstrument,
} from '../../../prices/index.ts'
import { openRealTrades } from '../../../trading/index.ts'
import { defineProposal } from '../../actions/define-proposal.ts'
import type { DeskDeps } from '../../deps.ts'

/** What is proposed: the columns of the instrument that are set. The subject is its symbol. */
interface Change {
  kind: InstrumentChangeKind
  set: Partial<NewInstrument> & { closed_reason?: string | null }
}

interface InstrumentChangeColumns {
  now: { base: string; quote: string; scale: number; terms: InstrumentTerms } | null
  effective_from: Ms | null
}

const NAMES: Record<InstrumentChangeKind, string> = {
  add: 'Add',
  change: 'Change terms of',
  close: 'Close',
  reopen: 'Reopen',
  withdraw: 'Withdraw',
}

/** Instrument changes: proposed by one admin on the page of instruments. Approving takes effect on every node within seconds. */
export const instrumentChanges = defineProposal({
  kind: 'instrument-changes',
  of: QUEUES['instrument-changes'].of,
  schema: DeskInstrumentChange,
  waiting: (symbol) => `A change of ${symbol} has already been proposed. Ask another operator to decide.`,
  async apply(deps, tx, { id, subject, payload: { kind, set } }) {
    const symbol = must(subject)
    if (kind === 'add') await addInstrument(tx, set as NewInstrument, await withdrawals(tx))
    else if (kind === 'change') {
      const { lastEnd } = await openRealTrades(tx, [must(await findInstrument(tx, symbol)).id])
      await changeTerms(tx, { id, symbol, terms: set as ChangeableTerms, lastEnd })
    } else if (kind === 'withdraw') await withdrawInstrument(tx, symbol)
    else await setClosedReason(tx, symbol, set.closed_reason ?? null)
    tx.afterCommit(() => deps.prices.operatorsChanged(), { once: 'instruments' })
  },
  facts: factsOf,
  async change(_, tx, proposal, { status }) {
    const { subject, payload } = proposal
    const found = payload.kind === 'change' ? await findInstrument(tx, must(subject)) : undefined
    return { before: { status: 'Pending', ...(found && termsOf(found)) }, after: { status, ...factsOf(proposal) } }
  },
  list: {
    columns: sql`(
      select json_build_object('base', i.base, 'quote', i.quote, 'scale', i.scale, 'terms', json_build_object(
          'min_sources', i.min_sources, 'depth_usd', i.depth_usd, 'largest_spread_bps', i.largest_spread_bps,
          'largest_deviation_bps', i.largest_deviation_bps, 'stale_after_ms', i.stale_after_ms, 'venues', i.venues,
          'demo_only', i.demo_only))
        from instruments i where i.symbol = r.subject and r.payload ->> 'kind' = 'change' and r.status = 'Pending') as now,
      (select c.effective_from from terms_changes c where c.id = r.id) as effective_from`,
  },
  view({
    subject,
    payload: { kind, set },
    now,
    effective_from,
  }: InstrumentChangeColumns & { subject: string | null; payload: Change }) {
    const { base = null, quote = null, trading_type = null, scale = null, closed_reason = null } = set
    return {
      kind,
      symbol: must(subject),
      ...{ base, quote, trading_type, scale, closed_reason, now },
      terms: set.min_sources === undefined ? null : termsOf(set as InstrumentTerms),
      name: `${NAMES[kind]} ${subject}`,
      ...(effective_from === null ? {} : { counts_from: toIso(effective_from) }),
    }
  },
})

/** Picks the terms. Those of proposals from before a term existed don't set it. */
const termsOf = (row: ChangeableTerms): ChangeableTerms => ({
  min_sources: row.min_sources,
  depth_usd: row.depth_usd ?? null,
  largest_spread_bps: row.largest_spread_bps,
  largest_deviation_bps: row.largest_deviation_bps,
  stale_after_ms: row.stale_after_ms,
  venues: row.venues,
  demo_only: row.demo_only ?? null,
})

/** Returns what an audit row says about a change. */
function factsOf({ subject, payload: { kind, set } }: { subject: string | null; payload: Change }): object {
  return { kind, symbol: subject, ...Object.fromEntries(Object.entries(set).filter(([, value]) => value !== null)) }
}

/** How many instruments were ever withdrawn. */
async function withdrawals(tx: Tx): Promise<number> {
  const { count } = await tx
    .selectFrom('proposals')
    .select(({ fn }) => fn.countAll<bigint>().as('count'))
    .where('kind', '=', 'instrument-changes')
    .where(sql`payload ->> 'kind'`, '=', 'withdraw')
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
    with approved as (
      select subject as symbol, payload ->> 'kind' as kind, payload -> 'set' ->> 'closed_reason' as reason, decided_at
      from proposals where kind = 'instrument-changes' and status = 'Approved'
    )
    select c.symbol, c.reason, c.decided_at as from, n.decided_at as to
    from approved c
    left join lateral (
      select r.decided_at from approved r
      where r.symbol = c.symbol and r.kind in ('reopen', 'close', 'withdraw') and r.decided_at > c.decided_at
      order by r.decided_at limit 1
    ) n on true
    where c.kind = 'close' and coalesce(n.decided_at, 'infinity') >= ${new Date(since)}
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
  const set: NewInstrument = { ...typed, depth_usd, stale_after_ms, venues: venues ?? null, demo_only }
  await checkVenues(deps, set)
  return propose(deps, who, { kind: 'add', symbol, set, reason }, async (tx) => {
    if (await findInstrument(tx, symbol)) throw new Problem('wrong_state', `${symbol} exists already.`)
  })
}

/** Proposes new terms. Throws `not_found`, and `wrong_state` if they are the same or a change is pending. */
export async function proposeInstrumentTerms(
  deps: DeskDeps,
  who: WhoOperates,
  { symbol, reason, venues, demo_only = false, ...rest }: Parsed<'POST /desk/instruments/change', 'body'>,
): Promise<DeskInstrumentChange> {
  const set: ChangeableTerms = { ...rest, venues: venues ?? null, demo_only }
  await checkVenues(deps, set)
  return propose(deps, who, { kind: 'change', symbol, set, reason }, async (tx) => {
    if (isDeepStrictEqual(termsOf(await existing(tx, symbol)), termsOf(set)))
      throw new Problem('wrong_state', `These are the terms of ${symbol} already.`)
  })
}

/** Proposes to withdraw an instrument. Throws `not_found`, and `wrong_state` if it has had a price or a change is pending. */
export const proposeInstrumentWithdrawal = (
  deps: DeskDeps,
  who: WhoOperates,
  { symbol, reason }: Parsed<'POST /desk/instruments/withdraw', 'body'>,
): Promise<DeskInstrumentChange> =>
  propose(deps, who, { kind: 'withdraw', symbol, set: {}, reason }, async (tx) => {
    if ((await existing(tx, symbol)).has_had_price)
      throw new Problem('wrong_state', `${symbol} has had a price, so it can't be withdrawn. Close it.`)
  })

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
export const proposeInstrumentClosing = (
  deps: DeskDeps,
  who: WhoOperates,
  { symbol, closed_reason, reason }: Parsed<'POST /desk/instruments/close', 'body'>,
): Promise<DeskInstrumentChange> =>
  propose(
    deps,
    who,
    { kind: 'close', symbol, set: { closed_reason: closed_reason.toWellFormed() }, reason },
    async (tx) => {
      if ((await existing(tx, symbol)).closed_reason !== null)
        throw new Problem('wrong_state', `${symbol} is closed already.`)
    },
  )

/** Proposes to reopen an instrument. Throws `not_found`, and `wrong_state` if it is open or a change is pending. */
export const proposeInstrumentReopening = (
  deps: DeskDeps,
  who: WhoOperates,
  { symbol, reason }: Parsed<'POST /desk/instruments/reopen', 'body'>,
): Promise<DeskInstrumentChange> =>
  propose(deps, who, { kind: 'reopen', symbol, set: { closed_reason: null }, reason }, async (tx) => {
    if ((await existing(tx, symbol)).closed_reason === null) throw new Problem('wrong_state', `${symbol} is open.`)
  })

async function existing(tx: Tx, symbol: string) {
  const found = await findInstrument(tx, symbol)
  if (!found) throw new Problem('not_found', 'Symbol not found.')
  return found
}

/** Stores a proposal that `check` lets through. */
const propose = (
  deps: DeskDeps,
  who: WhoOperates,
  { symbol, reason, ...payload }: Change & { symbol: string; reason: string },
  check: (tx: Tx) => Promise<void>,
) => instrumentChanges.propose(deps, who, async () => ({ subject: symbol, payload, reason }), check)
