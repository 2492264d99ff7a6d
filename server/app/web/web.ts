import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { fillSite } from '#contract/site.ts'
import type { Alerts } from '../../alerts/index.ts'
import type { Automatic } from '../../automatic/index.ts'
import { backtestRoutes } from '../../backtest/index.ts'
import { cashierRoutes } from '../../cashier/index.ts'
import { complaintsRoutes } from '../../complaints/index.ts'
import { adjustmentReasons, closingsSince, deskRoutes } from '../../desk/index.ts'
import { guardrailsRoutes } from '../../guardrails/index.ts'
import {
  closureRoutes,
  confirmOwner,
  emailChangeRoutes,
  identityRoutes,
  profileRoutes,
  secondFactorRoutes,
} from '../../identity/index.ts'
import { incidentsRoutes } from '../../incidents/index.ts'
import { kycRoutes, reopenCheck } from '../../kyc/index.ts'
import { noticesRoutes } from '../../notices/index.ts'
import { ownStrategiesRoutes } from '../../own-strategies/index.ts'
import { plansRoutes } from '../../plans/index.ts'
import { serveOpenApi, servePages } from '../../platform/http/index.ts'
import { mailboxPlugin } from '../../platform/mail/index.ts'
import type { HealthParts } from '../../platform/observe/health.ts'
import { priceListRoutes } from '../../price-lists/index.ts'
import { proofRoutes } from '../../proof/index.ts'
import { type Signals, webhooksRoutes } from '../../signals/index.ts'
import { serveManifest } from '../../site/manifest.ts'
import { serveMap } from '../../site/map-picture.ts'
import { fillSettings, framesOf } from '../../site/site-settings.ts'
import { serveSitemap } from '../../site/sitemap.ts'
import { limitStreams, statementsRoutes } from '../../statements/index.ts'
import { contactLimits, supportRoutes } from '../../support/index.ts'
import { figuresRoutes } from '../../trading/index.ts'
import type { Waiting } from '../../waiting/index.ts'
import { webPushRoutes } from '../../webpush/index.ts'
import type { Base } from '../base.ts'
import { healthNotes } from '../health.ts'
import { readMetrics, serveMetrics } from '../metrics.ts'
import { guardrailsParts } from './people.ts'
import { openRooms, type RoomParts, type Rooms } from './rooms.ts'

/** The folder of the built web app. */
const WEB = fileURLToPath(new URL('../../../build', import.meta.url))

interface WebOptions extends RoomParts {
  alerts: Alerts
  waiting: Waiting
  signals: Signals
  automatic: Automatic
  parts: HealthParts
}

/** Serves the API, the desk and the pages, on nodes with the role `web`. Returns the port it listens on. */
export async function startWeb(options: WebOptions): Promise<{ port: number; stop(): Promise<void> }> {
  const { base, screens } = options
  const { config } = base
  const { http, reads } = screens
  const rooms = await openRooms(options)
  http.serve(reads, { ...peopleRoutes(base, rooms), ...tradeRoutes(options, rooms), ...officeRoutes(options, rooms) })
  let port = config.PORT
  await serveRest(options, () => port)
  port = await http.listen(config.HOST, config.PORT)
  base.listensOn(port)
  return { port, stop: rooms.stop }
}

/** The calls by which people manage their account and money. */
function peopleRoutes({ db, log, config, prices }: Base, rooms: Rooms) {
  const { identity, kyc, guardrails } = rooms
  return {
    ...identityRoutes(identity),
    ...emailChangeRoutes(identity),
    ...closureRoutes(identity),
    ...secondFactorRoutes(identity),
    ...profileRoutes({
      db,
      log,
      files: rooms.files,
      limits: identity.limits,
      kyc: { reopenCheck: (tx, userId, changedFrom) => reopenCheck(kyc, tx, userId, changedFrom) },
      guardrails: guardrailsParts(guardrails),
      checkAge: identity.checkAge,
    }),
    ...guardrailsRoutes(guardrails),
    ...kycRoutes(kyc),
    ...noticesRoutes({ db }),
    ...webPushRoutes(rooms.webPush),
    ...plansRoutes(rooms.plans),
    ...cashierRoutes(rooms.cashier),
    ...complaintsRoutes(rooms.complaints),
    ...statementsRoutes({
      db,
      confirmOwner: (who, password, request) => confirmOwner(identity, who, password, request),
      brand: config.BRAND,
      startStream: limitStreams(),
      instruments: prices.instruments,
      adjustmentReasons,
    }),
  }
}

/** The calls about prices, trades, and what proves them. */
function tradeRoutes({ base, trading, alerts, waiting, signals, automatic }: WebOptions, rooms: Rooms) {
  const { config, db, clock, prices } = base
  const { tape, instruments } = prices
  const ownStrategies = { db, instruments, stopFollowers: automatic.stopFollowers }
  return {
    ...prices.routes,
    ...trading.routes,
    ...alerts.routes,
    ...waiting.routes,
    ...signals.routes,
    ...automatic.routes,
    ...ownStrategiesRoutes(ownStrategies),
    ...webhooksRoutes({ ...ownStrategies, ...rooms.webhooks, clock, tape }),
    ...backtestRoutes({
      db,
      tape,
      instruments,
      priceLists: base.priceLists,
      recordings: base.recordings,
    }),
    ...proofRoutes({
      db,
      instruments,
      dayFolder: join(config.dataDir, 'days'),
      now: clock.now,
      assets: config.assets,
    }),
    ...incidentsRoutes({ clock, instruments, closingsSince }),
    ...figuresRoutes({ db, clock, tape, instruments }),
    ...priceListRoutes({ db, clock, priceLists: base.priceLists }),
  }
}

/** The calls of the desk and of support. */
function officeRoutes({ base, screens, parts }: WebOptions, { desk }: Rooms) {
  const { config, db, mail, rateLimits } = base
  const brand = config.BRAND
  return {
    ...deskRoutes(desk),
    ...supportRoutes({
      contact: { db, brand, supportEmail: config.SUPPORT_EMAIL, mail, limits: contactLimits(rateLimits) },
      installation: {
        brand,
        phone: config.SUPPORT_PHONE,
        email: config.SUPPORT_EMAIL,
        test: !config.production,
        mailbox: config.mailbox,
        chat_url: config.CHAT_URL ?? null,
      },
      db,
      parts,
      notes: () => healthNotes(screens.reads),
      isStopping: base.isStopping,
    }),
  }
}

/** Serves everything that isn't a call of the API: its description, the mailbox, metrics, and the pages. */
async function serveRest({ base, screens }: WebOptions, port: () => number): Promise<void> {
  const { config, db, publicUrl } = base
  const { app } = screens.http
  const isOwnHost = (host: string) =>
    [...['localhost', '127.0.0.1', '[::1]', config.HOST].map((name) => `http://${name}:${port()}`), publicUrl()].some(
      (address) => URL.canParse(address) && new URL(address).host === host.toLowerCase(),
    )
  serveOpenApi(app, config.BRAND)
  if (config.mailbox) {
    mailboxPlugin(app, { db, brand: config.BRAND, isOwnHost, servesOthers: config.PUBLIC_TEST_INSTALLATION })
  }
  readMetrics(base.metrics, screens.reads)
  serveMetrics(app, base.metrics, config.METRICS_TOKEN)
  serveSitemap(app, publicUrl)
  serveManifest(app, config.BRAND)
  const map = await serveMap(app, config)
  await servePages(app, WEB, {
    fill: (html) => fillSite(fillSettings(html, config, map), config.site, publicUrl()),
    notice: base.levers.maintenance,
    frames: (address) => framesOf(address, config),
  })
}
