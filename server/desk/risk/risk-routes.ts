import { DeskExposure, type exposureCalls } from '#contract/desk/exposure.ts'
import type { feedCalls } from '#contract/desk/feeds.ts'
import { DeskTrade, type tradeCalls } from '#contract/desk/trades.ts'
import { parsePublicId } from '#kernel/id.ts'
import type { Handlers } from '../../platform/http/index.ts'
import type { DeskDeps } from '../deps.ts'
import { answerList, csvFile } from '../lists/lists.ts'
import { exposure } from './exposure.ts'
import { feeds } from './feeds.ts'
import { trades, voidOfTrade } from './trades.ts'

/** The routes for trades, exposure and price feeds. */
export function riskRoutes(
  deps: DeskDeps,
): Handlers<keyof typeof tradeCalls | keyof typeof exposureCalls | keyof typeof feedCalls> {
  return {
    'GET /desk/trades': ({ who, query }) =>
      answerList(
        'trades',
        DeskTrade,
        query,
        (page) => trades({ ...deps, db: deps.reads }, who, query, page),
        parsePublicId,
      ),
    'POST /desk/trades/:id/void': async ({ who, params, body }) => ({
      status: true,
      data: await voidOfTrade(deps, who, { id: params.id, reason: body.reason }),
    }),
    'GET /desk/exposure': async ({ query }) => {
      const data = await exposure(deps, query.mode ?? 'real')
      if (query.format === 'csv') return csvFile('exposure', Object.keys(DeskExposure.shape), [data])
      return { status: true, data }
    },
    'GET /desk/feeds': async () => ({ status: true, data: feeds(deps) }),
  }
}
