import type { Parsed } from '#contract/api.ts'
import { fieldProblem, Problem } from '#contract/problem.ts'
import { OWN_STRATEGIES, type OwnStrategy } from '#contract/trading/own-strategies.ts'
import { must } from '#kernel/must.ts'
import { zoneNamed } from '#kernel/zone.ts'
import { inTransaction, type Tx } from '../platform/database/db.ts'
import { requireRule } from './checks.ts'
import { endStrategy } from './publish.ts'
import {
  countOf,
  insertStrategy,
  isSame,
  type OwnRow,
  strategiesOf,
  strategyOfUser,
  toOwnStrategy,
  updateStrategy,
  type VersionTerms,
} from './store.ts'
import { CHANGED, found, lockUser, type OwnStrategiesDeps, requireFewVersions, writeVersion } from './versions.ts'

type Body = Parsed<'POST /strategies', 'body'>

/** Saves a new strategy. Throws `already_exists` for a name that the trader has, and `limit_reached`. */
export const createStrategy = (deps: OwnStrategiesDeps, userId: bigint, body: Body): Promise<OwnStrategy> =>
  create(deps, userId, body.name, termsOf(deps, body))

/** Saves a new strategy whose signals come from outside. */
export const createOutsideStrategy = (
  deps: OwnStrategiesDeps,
  userId: bigint,
  body: Parsed<'POST /strategies/webhook', 'body'>,
): Promise<OwnStrategy> =>
  create(deps, userId, body.name, {
    rule: null,
    durationSeconds: body.duration,
    symbolIds: symbolIdsOf(deps, body.symbols),
    zone: 'UTC',
  })

function create(deps: OwnStrategiesDeps, userId: bigint, name: string, terms: VersionTerms): Promise<OwnStrategy> {
  return inTransaction(deps.db, async (tx) => {
    await lockUser(tx, userId)
    const { ever, active, named } = await countOf(tx, userId, name)
    if (named > 0) throw nameTaken(name)
    if (active >= OWN_STRATEGIES.active)
      throw new Problem(
        'limit_reached',
        `You have ${OWN_STRATEGIES.active} strategies, the most there can be. Archive one you no longer need.`,
      )
    if (ever >= OWN_STRATEGIES.ever)
      throw new Problem(
        'limit_reached',
        `You have made ${OWN_STRATEGIES.ever} strategies, archived ones included, the most there can be. Change one that you have.`,
      )
    const id = await insertStrategy(tx, userId, name, terms)
    return toOwnStrategy(deps.instruments, must(await strategyOfUser(tx, userId, id)))
  })
}

/** Changes a strategy from the version that the trader saw. The same terms again write no version. */
export function changeStrategy(
  deps: OwnStrategiesDeps,
  userId: bigint,
  id: bigint,
  body: Parsed<'PUT /strategies/:id', 'body'>,
): Promise<OwnStrategy> {
  const terms = termsOf(deps, body)
  return inTransaction(deps.db, async (tx) => {
    await lockUser(tx, userId)
    const row = await found(tx, userId, id)
    if (row.kind !== 'rule')
      throw new Problem('wrong_state', "This strategy's signals come from outside. It has no rule to change.")
    if ((await countOf(tx, userId, body.name, id)).named > 0) throw nameTaken(body.name)
    const isChanged = !isSame(row, terms)
    // A repeat of a change that was saved finds nothing to change.
    if (isChanged && row.version !== body.version)
      throw new Problem(
        'wrong_state',
        `This strategy was changed elsewhere meanwhile: it's at version ${row.version}. Open it again to change that one.`,
      )
    if (isChanged) {
      requireFewVersions(row)
      await writeVersion(deps, tx, row, CHANGED, terms)
    }
    await updateStrategy(tx, id, { name: body.name })
    return toOwnStrategy(deps.instruments, must(await strategyOfUser(tx, userId, id)))
  })
}

/** Archives a strategy. */
export function archiveStrategy(deps: OwnStrategiesDeps, userId: bigint, id: bigint): Promise<void> {
  return inTransaction(deps.db, async (tx) => {
    await lockUser(tx, userId)
    await archive(deps, tx, await found(tx, userId, id))
  })
}

/** Archives all strategies of a trader whose account is closed. */
export async function archiveAll(
  deps: Pick<OwnStrategiesDeps, 'stopFollowers'>,
  tx: Tx,
  userId: bigint,
): Promise<void> {
  for (const row of await strategiesOf(tx, userId)) await archive(deps, tx, row)
}

async function archive(deps: Pick<OwnStrategiesDeps, 'stopFollowers'>, tx: Tx, row: OwnRow): Promise<void> {
  await endStrategy(deps, tx, row)
  await updateStrategy(tx, row.id, { archived_at: new Date() })
}

const nameTaken = (name: string) =>
  new Problem('already_exists', `You already have a strategy named ${name}. Choose another name.`, {
    errors: [{ field: 'name', message: 'You already have a strategy with this name. Choose another one.' }],
  })

/** Checks what the contract can't: the rule as a whole, and which symbols are traded. */
function termsOf(deps: OwnStrategiesDeps, body: Body): VersionTerms {
  requireRule(body.rule, body.duration, 'rule')
  return {
    rule: body.rule,
    durationSeconds: body.duration,
    symbolIds: symbolIdsOf(deps, body.symbols),
    zone: must(zoneNamed(body.zone)),
  }
}

function symbolIdsOf({ instruments }: OwnStrategiesDeps, symbols: readonly string[]): number[] {
  const ids = new Set<number>()
  for (const symbol of symbols) {
    const instrument = instruments.bySymbol(symbol)
    if (!instrument?.tradingType) throw fieldProblem('symbols', `${symbol} is not traded here`)
    ids.add(instrument.id)
  }
  return [...ids]
}
