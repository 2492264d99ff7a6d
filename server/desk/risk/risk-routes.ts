import type { automaticTradesCalls } from '#contract/desk/markets/automatic.ts'
import { DeskExposure, type exposureCalls } from '#contract/desk/markets/exposure.ts'
import type { feedCalls } from '#contract/desk/markets/feeds.ts'
import type { instrumentCalls } from '#contract/desk/markets/instruments.ts'
import { DeskPublishedStrategy, type publishedStrategyCalls } from '#contract/desk/markets/published-strategies.ts'
import { DeskTrade, type tradeCalls } from '#contract/desk/markets/trades.ts'
import { type businessCalls, DeskBusinessDay } from '#contract/desk/money/business.ts'
import { DeskMoney, type inAndOutCalls } from '#contract/desk/money/in-and-out.ts'
import { parsePublicId } from '#kernel/id.ts'
import type { Handlers } from '../../platform/http/index.ts'
import type { DeskDeps } from '../deps.ts'
import { answerList, listFile } from '../lists/lists.ts'
import { automaticTrades, switchOffStrategies } from './automatic.ts'
import { openBusiness } from './business.ts'
import { exposure } from './exposure.ts'
import { feeds } from './feeds.ts'
import { money } from './in-and-out.ts'
import { instruments, previewInstrument } from './instruments.ts'
import { levers, pull } from './levers.ts'
import { publishedStrategies, withdrawPublished } from './published-strategies.ts'
import { demandSolvencyStatement, reconciliation } from './reconciliation.ts'
import { trades, voidOfTrade } from './trades.ts'
import { switchVenueAt, venues } from './venues.ts'

/** The routes for trades, exposure, automatic trades and price feeds. */
export function riskRoutes(
  deps: DeskDeps,
): Handlers<
  | keyof typeof tradeCalls
  | keyof typeof businessCalls
  | keyof typeof inAndOutCalls
  | keyof typeof exposureCalls
  | keyof typeof automaticTradesCalls
  | keyof typeof publishedStrategyCalls
  | keyof typeof feedCalls
  | keyof typeof instrumentCalls
  | 'GET /desk/levers'
  | 'POST /desk/levers'
  | 'GET /desk/reconciliation'
  | 'POST /desk/solvency'
> {
  const business = openBusiness(deps.clock.now)
  return {
    'GET /desk/business': async ({ query }) => {
      const data = await business(deps.reads, Number(query.days ?? 1))
      if (query.format === 'csv') return listFile('business', DeskBusinessDay, [data.days])
      return { status: true, data }
    },
    'GET /desk/money': ({ query, reads }) =>
      answerList('money', DeskMoney, query, (page) => money(reads, query.days, page), parsePublicId),
    'GET /desk/trades': ({ who, query, reads }) =>
      answerList('trades', DeskTrade, query, (page) => trades({ ...deps, db: reads }, who, query, page), parsePublicId),
    'POST /desk/trades/:id/void': async ({ who, params, body }) => ({
      status: true,
      data: await voidOfTrade(deps, who, { id: params.id, reason: body.reason }),
    }),
    'GET /desk/exposure': async ({ query }) => {
      const data = await exposure(deps, query.mode ?? 'real')
      if (query.format === 'csv') return listFile('exposure', DeskExposure, [data])
      return { status: true, data }
    },
    'GET /desk/automatic': async ({ reads }) => ({ status: true, data: await automaticTrades(reads) }),
    'POST /desk/automatic/switch-off': async ({ who, body }) => ({
      status: true,
      data: await switchOffStrategies(deps, who, body),
    }),
    'GET /desk/published-strategies': ({ query, reads }) =>
      answerList('published-strategies', DeskPublishedStrategy, query, (page) =>
        publishedStrategies({ ...deps, db: reads }, query.name, page),
      ),
    'POST /desk/published-strategies/:id/withdraw': async ({ who, params, body }) => ({
      status: true,
      data: await withdrawPublished(deps, who, { id: params.id, reason: body.reason }),
    }),
    'GET /desk/feeds': async () => ({ status: true, data: { ...(await feeds(deps)), venues: await venues(deps) } }),
    'POST /desk/feeds/venues/:venue': async ({ who, params, body }) => ({
      status: true,
      message: await switchVenueAt(deps, who, params, body),
    }),
    'GET /desk/levers': async () => ({ status: true, data: await levers(deps.db) }),
    'POST /desk/levers': async ({ who, body }) => ({ status: true, data: await pull(deps, who, body) }),
    'GET /desk/reconciliation': async ({ reads }) => ({ status: true, data: await reconciliation(reads) }),
    'POST /desk/solvency': async ({ who }) => ({ status: true, message: await demandSolvencyStatement(deps.db, who) }),
    'GET /desk/instruments': async () => ({ status: true, data: await instruments(deps) }),
    'GET /desk/instruments/preview': async ({ query }) => ({
      status: true,
      data: await previewInstrument(deps, query),
    }),
  }
}
