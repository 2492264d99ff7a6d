import { cashierChecks } from './cashier.ts'
import { deskChecks } from './desk.ts'
import { planChecks } from './plans.ts'
import { tradingChecks } from './trading.ts'

export { cashierChecks, deskChecks, planChecks, tradingChecks }

/** The invariants that join the tables of several rooms. */
export const crossRoomChecks = [...planChecks, ...cashierChecks, ...tradingChecks, ...deskChecks]

export { lateTrades } from './late-trades.ts'
