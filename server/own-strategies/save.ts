import type { Parsed } from '#contract/api.ts'
import { fieldProblem, Problem } from '#contract/problem.ts'
import { OWN_STRATEGIES, type OwnStrategy } from '#contract/trading/own-strategies.ts'
import { must } from '#kernel/must.ts'
import { zoneNamed } from '#kernel/zone.ts'
import { lockAccountById } from '../identity/index.ts'
import { type Db, inTransaction, type Tx } from '../platform/database/db.ts'
import type { Instruments } from '../prices/index.ts'
import { requireRule } from './checks.ts'
import {
  countOf,
  insertStrategy,
  insertVersion,
  isSame,
  type OwnRow,
  strategyOfUser,
  toOwnStrategy,
  updateStrategy,
  type VersionTerms,
} from './store.ts'

export interface OwnStrategiesDeps {
  db: Db
  instruments: Instruments
}

type Body = Parsed<'POST /strategies', 'body'>

/** Saves a new strategy. Throws `already_exists` for a name that the trader has, and `limit_reached`. */
export function createStrategy(deps: OwnStrategiesDeps, userId: bigint, body: Body): Promise<OwnStrategy> {
  const terms = termsOf(deps, body)
  return inTransaction(deps.db, async (tx) => {
    await lockUser(tx, userId)
    const { ever, active, named } = await countOf(tx, userId, body.name)
    if (named > 0) throw nameTaken(body.name)
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
    const id = await insertStrategy(tx, userId, body.name, terms)
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
      if (row.version >= OWN_STRATEGIES.versions)
        throw new Problem(
          'limit_reached',
          `This strategy has ${OWN_STRATEGIES.versions} versions, the most there can be. Save the rule as a new strategy.`,
        )
      await insertVersion(tx, id, row.version + 1, terms)
    }
    await updateStrategy(tx, id, { name: body.name, version: row.version + (isChanged ? 1 : 0) })
    return toOwnStrategy(deps.instruments, must(await strategyOfUser(tx, userId, id)))
  })
}

/** Archives a strategy. */
export function archiveStrategy({ db }: OwnStrategiesDeps, userId: bigint, id: bigint): Promise<void> {
  return inTransaction(db, async (tx) => {
    await lockUser(tx, userId)
    await found(tx, userId, id)
    await updateStrategy(tx, id, { archived_at: new Date() })
  })
}

/** One change of a trader's strategies at a time, so that they can be counted. */
async function lockUser(tx: Tx, userId: bigint): Promise<void> {
  if (!(await lockAccountById(tx, userId))) throw new Problem('unauthenticated', 'Please sign in.')
}

async function found(tx: Tx, userId: bigint, id: bigint): Promise<OwnRow> {
  const row = await strategyOfUser(tx, userId, id)
  if (!row) throw new Problem('not_found', 'Strategy not found.')
  return row
}

const nameTaken = (name: string) =>
  new Problem('already_exists', `You already have a strategy named ${name}. Choose another name.`, {
    errors: [{ field: 'name', message: 'You already have a strategy with this name. Choose another one.' }],
  })

/** Checks what the contract can't: the rule as a whole, and which symbols are traded. */
function termsOf({ instruments }: OwnStrategiesDeps, body: Body): VersionTerms {
  requireRule(body.rule, body.duration, 'rule')
  const ids = new Set<number>()
  for (const symbol of body.symbols) {
    const instrument = instruments.bySymbol(symbol)
    if (!instrument?.tradingType) throw fieldProblem('symbols', `${symbol} is not traded here`)
    ids.add(instrument.id)
  }
  return {
    rule: body.rule,
    durationSeconds: body.duration,
    symbolIds: [...ids],
    zone: must(zoneNamed(body.zone)),
  }
}
