import { modeOf, userOf } from '../../../ledger/index.ts'
import { type AcceptNeeds, acceptSql } from '../accept.sql.ts'
import type { Order } from '../order.ts'

/** How long the keys of all orders are checked after one was repeated. */
const CHECK_ALL_KEYS_MS = 5_000

export interface Statement extends AcceptNeeds {
  name: string
  text: string
}

/** The variants of a statement: with room for real trades or without, with the owners' balances or without. */
function prepared(name: string, needs: Omit<AcceptNeeds, 'balances' | 'rooms'>) {
  return {
    free: ofRooms(name, { ...needs, rooms: false }),
    within: ofRooms(`${name}_within`, { ...needs, rooms: true }),
  }
}

function ofRooms(name: string, needs: Omit<AcceptNeeds, 'balances'>): Record<'read' | 'unread', Statement> {
  const statement = (balances: boolean): Statement => ({
    name: balances ? `${name}_with_balances` : name,
    text: acceptSql({ ...needs, balances }),
    ...needs,
    balances,
  })
  return { read: statement(true), unread: statement(false) }
}
const STATEMENTS = {
  plain: prepared('accept', { limited: false, checkKeys: 'rejected' }),
  looking: prepared('accept_looking', { limited: false, checkKeys: 'all' }),
  limited: prepared('accept_limited', { limited: true, checkKeys: 'all' }),
}

/** Chooses the statement that accepts a batch. */
export interface Statements {
  of(orders: readonly Order[]): Statement
  /** One repeated key (a lost connection, a probing client) means more will follow: check all keys for a while. */
  checkAllKeys(): void
}

/** `hasRooms`: the profits of real trades must have room. */
export function createStatements(
  isAnyListening: ((userIds: bigint[]) => boolean) | undefined,
  hasRooms: boolean,
): Statements {
  let checkAllKeysUntil = Number.NEGATIVE_INFINITY
  return {
    of(orders) {
      const balances = isAnyListening?.(orders.map((order) => userOf(order.accountId))) ? 'read' : 'unread'
      const rooms = hasRooms && orders.some((order) => modeOf(order.accountId) === 'real') ? 'within' : 'free'
      if (orders.some((order) => order.limited)) return STATEMENTS.limited[rooms][balances]
      return (performance.now() < checkAllKeysUntil ? STATEMENTS.looking : STATEMENTS.plain)[rooms][balances]
    },
    checkAllKeys() {
      checkAllKeysUntil = performance.now() + CHECK_ALL_KEYS_MS
    },
  }
}
