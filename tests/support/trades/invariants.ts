import { tradingChecks } from '#server/invariants/checks/trading.ts'
import { ledgerChecks } from '#server/ledger/index.ts'

/** The invariants of money and trades, for tests without the other rooms. */
export const tradeAndLedgerChecks = [...ledgerChecks, ...tradingChecks]
