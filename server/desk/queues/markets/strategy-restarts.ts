import type { Parsed } from '#contract/api.ts'
import { DeskStrategyRestart } from '#contract/desk/markets/strategy-restarts.ts'
import { QUEUES } from '#contract/desk/terms.ts'
import { Problem } from '#contract/problem.ts'
import type { StrategyId } from '#contract/terms.ts'
import { isSwitchedOff, switchOn } from '../../../automatic/index.ts'
import type { WhoOperates } from '../../../platform/http/index.ts'
import { strategyOf } from '../../../strategies/index.ts'
import { defineProposal } from '../../actions/define-proposal.ts'
import type { DeskDeps } from '../../deps.ts'

/** Switching strategies on: proposed by one risk operator on the page of automatic trades. The subject is the strategy. */
export const strategyRestarts = defineProposal({
  kind: 'strategy-restarts',
  of: QUEUES['strategy-restarts'].of,
  schema: DeskStrategyRestart,
  waiting: () => 'Switching it on has already been proposed. Ask another operator to decide.',
  apply: (_, tx, { subject }) => switchOn(tx, subject as StrategyId),
  facts: ({ subject }) => ({ strategy: subject }),
  view({ subject }) {
    const strategy = subject as StrategyId
    return { strategy, name: strategyOf(strategy).name }
  },
})

/** Proposes to switch a strategy on. Throws `wrong_state` if it is on, or proposed already. */
export const proposeStrategyRestart = (
  deps: DeskDeps,
  who: WhoOperates,
  { strategy, reason }: Parsed<'POST /desk/strategy-restarts', 'body'>,
) =>
  strategyRestarts.propose(
    deps,
    who,
    async () => ({ subject: strategy, payload: {}, reason }),
    async (tx) => {
      if (!(await isSwitchedOff(tx, strategy))) throw new Problem('wrong_state', 'This strategy is on.')
    },
  )
