import { type Usd, usd } from '#kernel/money.ts'
import { first } from '#kernel/must.ts'
import { capitalOf, type Equity, graceUntil, totalOf } from '../ledger/index.ts'
import { type Db, type Snapshot, sql, type Tx } from '../platform/database/db.ts'
import type { Instruments } from '../prices/index.ts'
import { factorRoom, symbolRoom } from './room-numbers.ts'
import { type Direction, FACTORS } from './shocks.ts'
import type { WorstLoss } from './worst-loss.ts'

/** What the last count found, as it's stored: amounts in cents. */
export interface RiskFigures {
  capital: number
  result: number
  isPlay: boolean
  /** The most that the house may lose in one scenario; null: not limited, until `graceUntil`. */
  bound: number | null
  graceUntil: string | null
  /** What it loses in the worst scenario. */
  worst: number
  /** By room: what may be lost at most, and what would be. */
  rooms: Record<number, { most: number; loss: number }>
}

/** Stands for no limit. */
const UNLIMITED = usd(100_000_000_000_000n)
const DIRECTIONS: readonly Direction[] = ['up', 'down']

export interface Bounds {
  equity: Equity
  bound: Usd
  /** Real trading is closed: there is no equity. */
  isClosed: boolean
  graceUntil: Date | undefined
  /** The limits of factors and symbols, by name. */
  limits: ReadonlyMap<string, Usd>
}

/** Reads what may be lost. `result`: the house's result, which takes long to read. */
export async function readBounds(
  db: Db | Tx | Snapshot,
  { production, result }: { production: boolean; result: Usd },
): Promise<Bounds> {
  const capital = await capitalOf(db, { production })
  const equity: Equity = { ...capital, result }
  const until = capital.capital > 0n ? undefined : await graceUntil(db)
  const { rows } = await sql<{ percent: number; names: string[]; losses: string[]; in_grace: boolean }>`
    select worst_loss_percent::int as percent, array(select name from risk_limits order by name) as names,
      array(select loss_max::text from risk_limits order by name) as losses,
      coalesce(${until ?? null}::timestamptz > clock_timestamp(), false) as in_grace
    from trading_limits`.execute(db)
  const { percent, names, losses, in_grace } = first(rows)
  const total = totalOf(equity)
  const share = total > 0n ? usd((total * BigInt(percent)) / 100n) : usd(0n)
  return {
    equity,
    bound: in_grace ? UNLIMITED : capital.capital > 0n ? share : usd(0n),
    isClosed: !in_grace && (capital.capital <= 0n || total <= 0n),
    graceUntil: until,
    limits: new Map(names.map((name, place) => [name, usd(BigInt(losses[place] ?? 0))])),
  }
}

/** Returns the figures of a book under its bounds. */
export function figuresOf(
  { equity, bound, graceUntil: until, limits }: Bounds,
  { factors, symbols, worst }: WorstLoss,
  instruments: Pick<Instruments, 'current'>,
): RiskFigures {
  const rooms: RiskFigures['rooms'] = {}
  const mostOf = (name: string) => {
    const limit = limits.get(name)
    return Number(limit === undefined || limit > bound ? bound : limit)
  }
  for (const direction of DIRECTIONS) {
    for (const factor of FACTORS) {
      const { rest = 0, ...losses } = factors.get(factor) ?? { up: 0, down: 0 }
      rooms[factorRoom(factor, direction)] = { most: mostOf(factor), loss: losses[direction] + rest }
    }
    for (const { id, symbol, tradingType } of instruments.current())
      if (tradingType)
        rooms[symbolRoom(id, direction)] = { most: mostOf(symbol), loss: symbols.get(symbol)?.[direction] ?? 0 }
  }
  return {
    capital: Number(equity.capital),
    result: Number(equity.result),
    isPlay: equity.isPlay,
    bound: bound === UNLIMITED ? null : Number(bound),
    graceUntil: until?.toISOString() ?? null,
    worst,
    rooms,
  }
}

/** Returns the figures of the last count, and when it was; undefined before the first. */
export async function lastFigures(db: Db | Snapshot): Promise<{ at: Date; figures: RiskFigures } | undefined> {
  const { rows } = await sql<{ at: Date; figures: RiskFigures | null }>`
    select counted_at as at, figures from risk_count`.execute(db)
  const { at, figures } = first(rows)
  return figures === null ? undefined : { at, figures }
}

/** Returns how much of its bound the fullest room has left, from 0 to 1. */
export const smallestRoom = ({ rooms }: RiskFigures): number =>
  Object.values(rooms).reduce(
    (least, { most, loss }) => Math.min(least, most > 0 ? Math.max(0, 1 - loss / most) : 0),
    1,
  )
