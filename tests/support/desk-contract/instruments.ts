import type { DeskCallName } from '#contract/desk/index.ts'
import { inTransaction } from '#server/platform/database/db.ts'
import { insertProposal, pendingProposal } from '#server/proposals/index.ts'
import { type Case, withBody, withQuery } from '#tests/support/calls.ts'
import { noReason, noSuch, type Office, reasons } from './office.ts'

/** Returns the cases of the calls about instruments and exchanges. */
export function instrumentCases({ app, boss, other, mine, data, withStatus }: Office) {
  const newInstrument = () => ({
    base: `N${Math.random().toString(36).slice(2, 9).toUpperCase()}`,
    quote: 'USDT',
    trading_type: 'Cryptocurrency',
    scale: 4,
    min_sources: 2,
    largest_spread_bps: 500,
    largest_deviation_bps: 100,
    reason: 'r',
  })
  const decideChange = async (id: string, decision: 'approve' | 'reject') =>
    data(boss.ask('POST', `/instrument-changes/${id}/${decision}`, decision === 'reject' ? reasons : {}))
  const proposeClosing = async (symbol: string) =>
    (await data(other.ask('POST', '/instruments/close', { body: { symbol, closed_reason: 'c', reason: 'r' } }))).id
  /** Added symbols. A tape has room for 512 instruments, so long runs reuse the first ones. */
  const added: string[] = []
  const ADDED_MAX = 200
  /** Returns the symbol of an open instrument without a pending change. */
  const openSymbol = async () => {
    while (added.length >= ADDED_MAX) {
      const symbol = added.shift()!
      if (!(await isOpenAgain(symbol).catch(() => false))) continue
      added.push(symbol)
      return symbol
    }
    const { reason: _, ...terms } = newInstrument()
    const { id } = await data(other.ask('POST', '/instruments', { body: { ...terms, reason: 'r' } }))
    await decideChange(id, 'approve')
    added.push(terms.base + terms.quote)
    return terms.base + terms.quote
  }
  /** Undoes what earlier calls did to an instrument. Returns whether it exists at all. */
  async function isOpenAgain(symbol: string): Promise<boolean> {
    const pending = await pendingProposal(app.db, 'instrument-changes', symbol)
    const second = String(pending?.proposed_by) === boss.id ? other : boss
    if (pending) await data(second.ask('POST', `/instrument-changes/${pending.id}/reject`, reasons))
    const now = await app.db
      .selectFrom('instruments')
      .select('closed_reason')
      .where('symbol', '=', symbol)
      .executeTakeFirst()
    if (!now) return false
    if (now.closed_reason === null) return true
    const { id } = await data(other.ask('POST', '/instruments/reopen', { body: { symbol, reason: 'r' } }))
    await decideChange(id, 'approve')
    return true
  }
  const closedSymbol = async () => {
    const symbol = await openSymbol()
    await decideChange(await proposeClosing(symbol), 'approve')
    return symbol
  }
  const TERMS = {
    min_sources: 3,
    depth_usd: 2_000,
    largest_spread_bps: 50,
    largest_deviation_bps: 80,
    stale_after_ms: 5000,
    venues: ['binance', 'kraken', 'coinbase'],
    demo_only: true,
  }
  /** Proposes taking out an exchange that symbols can't do without. */
  const venueSwitch = async () => {
    const venue = `v${Math.random().toString(36).slice(2, 9)}`
    const id = await inTransaction(app.db, (tx) =>
      insertProposal(tx, {
        ...{ kind: 'venue-switches', subject: venue, reason: 'r', operatorId: BigInt(other.id) },
        payload: { is_out: true, symbols_lost: 1, open_trades: null },
      }),
    )
    await app.db
      .insertInto('operator_actions')
      .values({
        operator_id: BigInt(other.id),
        operator: other.email,
        action: 'propose',
        item_kind: 'venue-switches',
        item_id: String(id),
      })
      .execute()
    return String(id)
  }

  return {
    'GET /desk/instruments': { good: () => mine(), refused: [] },
    'GET /desk/instruments/preview': {
      good: () => mine({ query: { base: 'LTC', quote: 'ETH', scale: '6', min_sources: '2' } }),
      refused: [
        ['no base', withQuery({ base: '' }), 422, 'validation_failed'],
        ['lower case', withQuery({ base: 'ltc' }), 422, 'validation_failed'],
        ['a currency in itself', withQuery({ base: 'ETH' }), 422, 'validation_failed'],
        ['16 decimal places', withQuery({ scale: '16' }), 422, 'validation_failed'],
        ['half a decimal place', withQuery({ scale: '0.5' }), 422, 'validation_failed'],
        ['no exchange', withQuery({ min_sources: '0' }), 422, 'validation_failed'],
        ['a depth of dust', withQuery({ depth_usd: '99' }), 422, 'validation_failed'],
      ],
    },
    'GET /desk/instrument-changes': withStatus(),
    'POST /desk/instruments': {
      good: () => mine({ body: newInstrument() }),
      takes: (field, { json }) => field === 'scale' && Number(json) === 0,
      refused: [
        noReason,
        ['a symbol that exists', withBody({ base: 'BTC', quote: 'USDT' }), 409, 'wrong_state'],
        [
          'a symbol that is proposed already',
          async (good) => {
            await data(other.ask('POST', '/instruments', { body: good.body! }))
            return good
          },
          409,
          'wrong_state',
        ],
        ['lower case', withBody({ base: 'btc' }), 422, 'validation_failed'],
        ['a currency in itself', withBody({ base: 'ETH', quote: 'ETH' }), 422, 'validation_failed'],
        [
          'a symbol that is too long',
          withBody({ base: 'A'.repeat(11), quote: 'B'.repeat(10) }),
          422,
          'validation_failed',
        ],
        ['16 decimal places', withBody({ scale: 16 }), 422, 'validation_failed'],
        ['half a decimal place', withBody({ scale: 0.5 }), 422, 'validation_failed'],
        ['no exchange', withBody({ min_sources: 0 }), 422, 'validation_failed'],
        ['no spread', withBody({ largest_spread_bps: 0 }), 422, 'validation_failed'],
        ['a depth of dust', withBody({ depth_usd: 99 }), 422, 'validation_failed'],
        ['demo trades only as text', withBody({ demo_only: 'true' }), 422, 'validation_failed'],
        ['a deviation of more than half', withBody({ largest_deviation_bps: 5001 }), 422, 'validation_failed'],
      ],
    },
    'POST /desk/instruments/change': {
      good: async () => mine({ body: { symbol: await openSymbol(), ...TERMS, reason: 'r' } }),
      takes: (field, { json }) => field === 'demo_only' && (json === 'false' || json === 'true'),
      refused: [
        noReason,
        ['a symbol that is none', withBody({ symbol: 'NONEUSD' }), 404, 'not_found'],
        ['no exchange needed', withBody({ min_sources: 0 }), 422, 'validation_failed'],
        ['no depth', withBody({ depth_usd: undefined }), 422, 'validation_failed'],
        ['a depth that no book has', withBody({ depth_usd: 1_000_001 }), 422, 'validation_failed'],
        ['a spread without a limit', withBody({ largest_spread_bps: 5001 }), 422, 'validation_failed'],
        ['a deviation of nothing', withBody({ largest_deviation_bps: 0 }), 422, 'validation_failed'],
        ['a limit below a second', withBody({ stale_after_ms: 999 }), 422, 'validation_failed'],
        ['an empty list of exchanges', withBody({ venues: [] }), 422, 'validation_failed'],
        ['an exchange twice', withBody({ venues: ['kraken', 'kraken', 'binance'] }), 422, 'validation_failed'],
        ['an exchange by its name', withBody({ venues: ['Kraken', 'binance', 'okx'] }), 422, 'validation_failed'],
        ['an exchange not in use', withBody({ venues: ['kraken', 'binance', 'okx'] }), 422, 'validation_failed'],
        ['fewer exchanges than needed', withBody({ venues: ['kraken', 'binance'] }), 422, 'validation_failed'],
        [
          'the terms that it has',
          withBody({
            min_sources: 2,
            depth_usd: 1_000,
            largest_spread_bps: 500,
            largest_deviation_bps: 100,
            stale_after_ms: 10_000,
            venues: undefined,
            demo_only: false,
          }),
          409,
          'wrong_state',
        ],
      ],
    },
    'POST /desk/instruments/withdraw': {
      good: async () => mine({ body: { symbol: await openSymbol(), reason: 'r' } }),
      refused: [
        noReason,
        ['a symbol that is none', withBody({ symbol: 'NONEUSD' }), 404, 'not_found'],
        ['one that has had a price', withBody({ symbol: 'BTCUSDT' }), 409, 'wrong_state'],
      ],
    },
    'GET /desk/venue-switches': withStatus(),
    'POST /desk/venue-switches/:id/approve': {
      good: async () => mine({ params: { id: await venueSwitch() } }),
      refused: [
        noSuch('999999999'),
        ['the proposer', async (good) => ({ ...good, token: other.token }), 409, 'second_person_required'],
      ],
    },
    'POST /desk/venue-switches/:id/reject': {
      good: async () => mine({ params: { id: await venueSwitch() }, ...reasons }),
      refused: [
        noSuch('999999999'),
        noReason,
        ['the proposer', async (good) => ({ ...good, token: other.token }), 409, 'second_person_required'],
      ],
    },
    'POST /desk/instruments/close': {
      good: async () => mine({ body: { symbol: await openSymbol(), closed_reason: 'Its market moved.', reason: 'r' } }),
      refused: [
        noReason,
        ['no reason for traders', withBody({ closed_reason: ' ' }), 422, 'validation_failed'],
        ['a reason that is too long', withBody({ closed_reason: 'x'.repeat(201) }), 422, 'validation_failed'],
        ['a symbol that is none', withBody({ symbol: 'NONEUSD' }), 404, 'not_found'],
        [
          'one that is closed',
          async (good) => {
            await decideChange(await proposeClosing(good.body!.symbol as string), 'approve')
            return good
          },
          409,
          'wrong_state',
        ],
      ],
    },
    'POST /desk/instruments/reopen': {
      good: async () => mine({ body: { symbol: await closedSymbol(), reason: 'r' } }),
      refused: [
        noReason,
        ['a symbol that is none', withBody({ symbol: 'NONEUSD' }), 404, 'not_found'],
        ['one that is open', async (good) => withBody({ symbol: await openSymbol() })(good), 409, 'wrong_state'],
      ],
    },
    'POST /desk/instrument-changes/:id/approve': {
      good: async () => mine({ params: { id: await proposeClosing(await openSymbol()) } }),
      refused: [
        noSuch('999999999'),
        ['the proposer', async (good) => ({ ...good, token: other.token }), 409, 'second_person_required'],
      ],
    },
    'POST /desk/instrument-changes/:id/reject': {
      good: async () => mine({ params: { id: await proposeClosing(await openSymbol()) }, ...reasons }),
      refused: [
        noSuch('999999999'),
        noReason,
        ['the proposer', async (good) => ({ ...good, token: other.token }), 409, 'second_person_required'],
      ],
    },
    'GET /desk/feeds': { good: mine, refused: [] },
    'POST /desk/feeds/venues/:venue': {
      good: async () => {
        // Put it back in use, whatever the last call did.
        await other.ask('POST', '/feeds/venues/kraken', { body: { out: false, reason: 'r' } })
        return mine({ params: { venue: 'kraken' }, body: { out: true, reason: 'r' } })
      },
      refused: [
        noReason,
        ['an exchange that is none', (good) => ({ ...good, params: { venue: 'nowhere' } }), 404, 'not_found'],
        ['neither out nor in', withBody({ out: 'maybe' }), 422, 'validation_failed'],
      ],
    },
  } satisfies Partial<Record<DeskCallName, Case>>
}
