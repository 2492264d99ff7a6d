import type { ArmedAlert } from './conditions/terms.ts'
import type { AlertsDeps } from './deps.ts'
import { TapeWatch } from './engine.ts'
import { writeFires } from './fire.ts'
import {
  type AlertRow,
  armedAlerts,
  changedAlerts,
  judgedUntil,
  markUnchecked,
  recordJudged,
  toArmed,
} from './store.ts'

type AlertsEngine = TapeWatch<ArmedAlert, AlertRow>

/** Judges all alerts. `byHand`: tests run each round. */
export function watchAlerts(deps: AlertsDeps, options?: { byHand: boolean }): AlertsEngine {
  const { db, instruments, candles } = deps
  return new TapeWatch<ArmedAlert, AlertRow>(
    {
      name: 'alerts',
      armed: () => armedAlerts(db),
      changed: (xmin) => changedAlerts(db, xmin),
      toWatch: (row) => toArmed(instruments, row),
      write: (fires) => writeFires(deps, fires),
      judgedUntil: () => judgedUntil(db),
      recordJudged: (until) => recordJudged(db, until),
      candles,
      unchecked: (symbolId, from, until) => markUnchecked(db, symbolId, from, until),
    },
    deps,
    options,
  )
}
