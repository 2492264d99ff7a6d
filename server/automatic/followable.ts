import { fieldProblem } from '#contract/problem.ts'
import type { StrategyKey } from '#contract/terms.ts'
import { followableStrategies } from '../own-strategies/index.ts'
import type { Db, Tx } from '../platform/database/db.ts'
import { STRATEGIES } from '../strategies/index.ts'

/** A strategy as followers see it, in its newest version. */
interface Followable {
  name: string
  version: number
  /** What a trader's strategy signals; the platform's signal every duration and symbol. */
  only?: { durationSeconds: number; symbolIds: readonly number[] }
}

/**
 * Returns those of these strategies that a trader can follow: the platform's, their own whose signals are on, and what
 * others have published.
 */
export async function followable(
  db: Db | Tx,
  userId: bigint,
  keys: readonly StrategyKey[],
): Promise<Map<StrategyKey, Followable>> {
  const platforms = STRATEGIES.filter(({ id }) => keys.includes(id))
  const traders = await followableStrategies(db, userId, keys)
  return new Map<StrategyKey, Followable>([
    ...platforms.map(({ id, name, version }) => [id, { name, version }] as const),
    ...traders.map(({ key, name, version, ...only }) => [key, { name, version, only }] as const),
  ])
}

/** Throws if a trader's strategy has no signals of this duration, or of a symbol. */
export function requireSignalled(
  { name, only }: Followable,
  { duration, symbols, at }: { duration: number; symbols: readonly number[]; at: number },
): void {
  if (!only) return
  if (duration !== only.durationSeconds)
    throw fieldProblem(
      `strategies.${at}.duration`,
      `must be ${only.durationSeconds / 60} min, as the signals of ${name}`,
    )
  if (symbols.some((id) => !only.symbolIds.includes(id)))
    throw fieldProblem(`strategies.${at}.symbols`, `must be those of ${name}`)
}
