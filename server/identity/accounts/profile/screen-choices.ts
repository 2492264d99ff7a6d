import type { z } from 'zod/mini'
import type { OrderPreset, ScreenChoices, ScreenChoicesBody } from '#contract/account/profile.ts'
import type { Mode, StrikeChoice } from '#contract/terms.ts'
import { type Usd, usdToNumber } from '#kernel/money.ts'
import { first } from '#kernel/must.ts'
import { accountOf } from '../../../ledger/index.ts'
import { type Db, sql } from '../../../platform/database/db.ts'

interface Row {
  mode: Mode | null
  symbol: string | null
  duration_seconds: number | null
  strike_rate: StrikeChoice | null
  stake: Usd | null
  favourites: string[] | null
  recents: string[] | null
  presets: OrderPreset[] | null
  coached: boolean | null
  time_zone: string | null
  has_chart: boolean
  has_alerts: boolean
  has_orders: boolean
}

/** Returns what the user chose on the trading screen; what they never chose is absent. */
export async function screenChoices(db: Db, userId: bigint): Promise<ScreenChoices> {
  const { rows } = await sql<Row>`
    select mode, symbol, duration_seconds, strike_rate, stake, favourites, recents, presets, coached, time_zone,
      exists (select from charts where user_id = ${userId}) as has_chart,
      exists (select from alerts where user_id = ${userId}) as has_alerts,
      exists (select from waiting_orders where account_id in (${accountOf(userId, 'real')}, ${accountOf(userId, 'demo')})) as has_orders
    from (select) one left join screen_choices on user_id = ${userId}`.execute(db)
  return toChoices(first(rows))
}

/** Stores the given choices and returns all of them. What is already stored is not written again. */
export async function chooseOnScreen(
  db: Db,
  userId: bigint,
  {
    mode,
    symbol,
    duration,
    strike_rate,
    amount,
    favourites,
    recents,
    presets,
    coached,
    time_zone,
  }: z.infer<typeof ScreenChoicesBody>,
): Promise<ScreenChoices> {
  const kept =
    presets === undefined
      ? null
      : JSON.stringify(presets.map((preset) => ({ ...preset, amount: usdToNumber(preset.amount) })))
  await sql`
    insert into screen_choices as c (user_id, mode, symbol, duration_seconds, strike_rate, stake, favourites, recents, presets, coached,
      time_zone)
    values (${userId}, ${mode ?? null}, ${symbol ?? null}, ${duration ?? null}, ${strike_rate ?? null},
      ${amount ?? null}, ${favourites ?? null}::text[], ${recents ?? null}::text[], ${kept}::jsonb, ${coached ?? null}::boolean,
      ${time_zone ?? null})
    on conflict (user_id) do update set
      mode = coalesce(excluded.mode, c.mode),
      symbol = coalesce(excluded.symbol, c.symbol),
      duration_seconds = coalesce(excluded.duration_seconds, c.duration_seconds),
      strike_rate = coalesce(excluded.strike_rate, c.strike_rate),
      stake = coalesce(excluded.stake, c.stake),
      favourites = coalesce(excluded.favourites, c.favourites),
      recents = coalesce(excluded.recents, c.recents),
      presets = coalesce(excluded.presets, c.presets),
      coached = coalesce(excluded.coached, c.coached),
      time_zone = coalesce(excluded.time_zone, c.time_zone)
    where (coalesce(excluded.mode, c.mode), coalesce(excluded.symbol, c.symbol),
        coalesce(excluded.duration_seconds, c.duration_seconds), coalesce(excluded.strike_rate, c.strike_rate),
        coalesce(excluded.stake, c.stake), coalesce(excluded.favourites, c.favourites),
        coalesce(excluded.recents, c.recents), coalesce(excluded.presets, c.presets),
        coalesce(excluded.coached, c.coached), coalesce(excluded.time_zone, c.time_zone))
      is distinct from (c.mode, c.symbol, c.duration_seconds, c.strike_rate, c.stake, c.favourites, c.recents, c.presets, c.coached, c.time_zone)`.execute(
    db,
  )
  return screenChoices(db, userId)
}

const toChoices = (row: Row): ScreenChoices => ({
  ...(row.mode !== null && { mode: row.mode }),
  ...(row.symbol !== null && { symbol: row.symbol }),
  ...(row.duration_seconds !== null && { duration: row.duration_seconds }),
  ...(row.strike_rate !== null && { strike_rate: row.strike_rate }),
  ...(row.stake !== null && { amount: usdToNumber(row.stake) }),
  ...(row.favourites !== null && { favourites: row.favourites }),
  ...(row.recents !== null && { recents: row.recents }),
  ...(row.presets !== null && { presets: row.presets }),
  ...(row.coached !== null && { coached: row.coached }),
  ...(row.time_zone && { time_zone: row.time_zone }),
  ...(row.has_chart && { has_chart: true }),
  ...(row.has_alerts && { has_alerts: true }),
  ...(row.has_orders && { has_orders: true }),
})
