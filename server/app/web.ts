import { fileURLToPath } from 'node:url'
import { fillSite } from '#contract/site.ts'
import type { Automatic } from '../automatic/index.ts'
import { stopReal } from '../automatic/index.ts'
import { backtestRoutes } from '../backtest/index.ts'
import {
  type CashierDeps,
  cashierLimits,
  cashierRoutes,
  depositedSince,
  deriveAddress,
  hasOpenRequest,
  settingsAddresses,
} from '../cashier/index.ts'
import { complaintsLimits, complaintsRoutes, startComplaintWork } from '../complaints/index.ts'
import {
  adjustmentReasons,
  closingsSince,
  type DeskDeps,
  deskLimits,
  deskRoutes,
  isSupportOnline,
  recordFactorReset,
} from '../desk/index.ts'
import { carryOver, type GuardrailsDeps, guardrailsRoutes, spread, startPresence } from '../guardrails/index.ts'
import {
  ageCheck,
  hasConfirmedEmail,
  identityLimits,
  identityRoutes,
  lockPerson,
  openPasswords,
  type PasswordCost,
  profileRoutes,
  requireStepUp,
  secondFactorRoutes,
  similarAccounts,
} from '../identity/index.ts'
import { incidentsRoutes } from '../incidents/index.ts'
import {
  currentCheck,
  endChecksOf,
  isIdentityApproved,
  type KycDeps,
  kycLimits,
  kycRoutes,
  reopenCheck,
  submit,
} from '../kyc/index.ts'
import { accountOf, type BalancePush, hasRealMovement, openAccounts } from '../ledger/index.ts'
import { noticesRoutes } from '../notices/index.ts'
import { cancelPlanRequest, plansRoutes } from '../plans/index.ts'
import type { Tx } from '../platform/database/db.ts'
import { diskStorage, openFiles, s3Storage } from '../platform/files/index.ts'
import { serveOpenApi, servePages } from '../platform/http/index.ts'
import { mailboxPlugin } from '../platform/mail/index.ts'
import type { HealthParts } from '../platform/observe/health.ts'
import { openSeal } from '../platform/secrets/seal.ts'
import { recordedDays } from '../prices/index.ts'
import { proofRoutes } from '../proof/index.ts'
import type { Signals } from '../signals/index.ts'
import { serveManifest } from '../site/manifest.ts'
import { serveMap } from '../site/map-picture.ts'
import { fillSettings, framesOf } from '../site/site-settings.ts'
import { serveSitemap } from '../site/sitemap.ts'
import { statementSlots, statementsRoutes } from '../statements/index.ts'
import { contactLimits, openChat, supportRoutes } from '../support/index.ts'
import { figuresRoutes, type Trading } from '../trading/index.ts'
import type { Base } from './base.ts'
import { healthNotes } from './health.ts'
import { readMetrics, serveMetrics } from './metrics.ts'
import { cardProvider, readCoinSources } from './payments.ts'
import type { Screens } from './screens.ts'
import { startKey } from './start-key.ts'

/** The folder of the built web app. */
const WEB = fileURLToPath(new URL('../../build', import.meta.url))

export interface WebOptions {
  base: Base
  screens: Screens
  trading: Trading
  signals: Signals
  automatic: Automatic
  balances: BalancePush
  parts: HealthParts
  passwordCost: PasswordCost | undefined
}

/** Serves the API, the desk and the pages, on nodes with the role `web`. Returns the port it listens on. */
export async function startWeb(options: WebOptions): Promise<{ port: number; stop(): Promise<void> }> {
  const { base, screens, trading, signals, automatic, balances, parts, passwordCost } = options
  const { config, log, db, clock, bus, newId, prices, push, mail, notices, keys, rateLimits, publicUrl } = base
  const { http, sessions, sockets, reads, isOurOrigin } = screens
  const coinSources = readCoinSources(config)
  let port = config.PORT
  const isOwnHost = (host: string) =>
    [...['localhost', '127.0.0.1', '[::1]', config.HOST].map((name) => `http://${name}:${port}`), publicUrl()].some(
      (address) => URL.canParse(address) && new URL(address).host === host.toLowerCase(),
    )

  const key = await startKey(config, db)
  const files = openFiles({
    storage: config.FILES_URL ? await s3Storage(config.FILES_URL) : diskStorage(`${config.dataDir}/files`),
    key,
    others: config.FILES_KEY_OTHERS,
  })
  const chat = openChat({
    db,
    brand: config.BRAND,
    deskName: String(config.site.deskName),
    supportEmail: config.SUPPORT_EMAIL,
    mail,
    rateLimits,
    deskIsHere: isSupportOnline,
    bus,
    push,
    sockets,
  })
  screens.chats(chat)
  const kyc: KycDeps = {
    db,
    log,
    limits: kycLimits(rateLimits),
    files,
    push,
    notices,
    approved: (tx, userId) => spread(guardrails, tx, userId),
  }
  const guardrails: GuardrailsDeps = {
    db,
    clock,
    notices,
    push,
    rateLimits,
    depositedSince,
    lockPerson,
    similarAccounts,
    hasConfirmedEmail,
    isIdentityApproved,
    async stopAutomatic(tx, userId, why) {
      await stopReal(tx, userId, why)
      tx.afterCommit(() => bus.publish('automatic-changed', { accountIds: [String(accountOf(userId, 'real'))] }))
    },
    async endSessionsAndRequests(tx, userId) {
      await sessions.end(tx, userId, 'ended_by_owner')
      await cancelPlanRequest(tx, userId)
    },
  }
  const carriesOver = { carryOver: (tx: Tx, userId: bigint) => carryOver(guardrails, tx, userId) }
  const presence = startPresence({
    db,
    log,
    push,
    present: () => [...new Set([...sockets.users(), ...sessions.takeSeen()])],
  })
  const passwords = openPasswords(passwordCost, { allowCommon: !config.production })
  const identity = {
    db,
    log,
    clock,
    sessions,
    passwords,
    limits: identityLimits(rateLimits),
    brand: config.BRAND,
    publicUrl,
    isAcceptedOrigin: isOurOrigin,
    mail,
    seal: openSeal(key, 'totp', config.FILES_KEY_OTHERS),
    notices,
    ledger: { openAccounts, hasRealMovement },
    // A plan request is part of the account itself.
    hasOpenRequest,
    kyc: {
      submit: (command: Parameters<typeof submit>[1]) => submit(kyc, command),
      hasCheck: async (tx: Parameters<typeof currentCheck>[0], userId: bigint) =>
        (await currentCheck(tx, userId)) !== undefined,
      endChecksOf: (tx: Parameters<typeof endChecksOf>[1], userId: bigint) => endChecksOf(kyc, tx, userId),
    },
    guardrails: carriesOver,
    checkAge: ageCheck({ takesMinors: config.MINORS_WITH_GUARDIAN, now: () => clock.now() }),
    recordReset: recordFactorReset,
    wakeResets: () => bus.publish('wake', 'resets'),
  }
  const plans = { db, push, balances, notices, keys }
  const cashier: CashierDeps = {
    db,
    brand: config.BRAND,
    limits: cashierLimits(rateLimits),
    keys,
    files,
    seal: openSeal(key, 'bank', config.FILES_KEY_OTHERS),
    push,
    balances,
    notices,
    tape: prices.tape,
    newId,
    addressFor: settingsAddresses({ db, test: !config.production, derive: deriveAddress, fallback: coinSources }),
    card: await cardProvider(config, publicUrl),
    requireStepUp: (who, request) => requireStepUp(db, who, request),
  }
  const complaintWork = startComplaintWork({
    db,
    clock,
    instruments: prices.instruments,
    notices,
    balances,
    log,
  })
  const complaints = {
    db,
    clock,
    instruments: prices.instruments,
    notices,
    limits: complaintsLimits(rateLimits),
    wake: complaintWork.wake,
  }
  const desk: DeskDeps = {
    db,
    reads: reads.lists.db,
    log,
    clock,
    brand: config.BRAND,
    publicUrl,
    limits: deskLimits(rateLimits),
    passwords,
    seal: openSeal(key, 'operator', config.FILES_KEY_OTHERS),
    files,
    mail,
    notices,
    chat,
    sessions,
    identity,
    kyc,
    guardrails,
    plans,
    cashier,
    complaints,
    bankSeal: cashier.seal,
    prices,
    balances,
    trading,
  }

  http.serve(reads, {
    ...identityRoutes(identity),
    ...secondFactorRoutes(identity),
    ...profileRoutes({
      db,
      log,
      files,
      limits: identity.limits,
      kyc: { reopenCheck: (tx, userId, changedFrom) => reopenCheck(kyc, tx, userId, changedFrom) },
      guardrails: carriesOver,
      checkAge: identity.checkAge,
    }),
    ...guardrailsRoutes(guardrails),
    ...kycRoutes(kyc),
    ...noticesRoutes({ db }),
    ...plansRoutes(plans),
    ...cashierRoutes(cashier),
    ...complaintsRoutes(complaints),
    ...statementsRoutes({
      brand: config.BRAND,
      slots: statementSlots(),
      instruments: prices.instruments,
      adjustmentReasons,
    }),
    ...prices.routes,
    ...trading.routes,
    ...signals.routes,
    ...automatic.routes,
    ...backtestRoutes({
      db,
      tape: prices.tape,
      instruments: prices.instruments,
      recordings: recordedDays(config.RECORDINGS, prices.instruments, log),
      rateLimits,
    }),
    ...proofRoutes({ db, instruments: prices.instruments, rateLimits, assets: config.assets }),
    ...incidentsRoutes({ clock, instruments: prices.instruments, closingsSince }),
    ...figuresRoutes({ db, clock, tape: prices.tape, instruments: prices.instruments }),
    ...deskRoutes(desk),
    ...supportRoutes({
      contact: {
        db,
        brand: config.BRAND,
        supportEmail: config.SUPPORT_EMAIL,
        mail,
        limits: contactLimits(rateLimits),
      },
      installation: {
        brand: config.BRAND,
        phone: config.SUPPORT_PHONE,
        email: config.SUPPORT_EMAIL,
        test: !config.production,
        mailbox: config.mailbox,
        chat_url: config.CHAT_URL ?? null,
      },
      db,
      parts,
      notes: () => healthNotes(reads),
      isStopping: base.isStopping,
    }),
  })
  serveOpenApi(http.app, config.BRAND)
  if (config.mailbox) {
    mailboxPlugin(http.app, { db, brand: config.BRAND, isOwnHost, servesOthers: config.PUBLIC_TEST_INSTALLATION })
  }
  readMetrics(base.metrics, reads)
  serveMetrics(http.app, base.metrics, config.METRICS_TOKEN)
  serveSitemap(http.app, publicUrl)
  serveManifest(http.app, config.BRAND)
  const map = await serveMap(http.app, config)
  await servePages(http.app, WEB, {
    fill: (html) => fillSite(fillSettings(html, config, map), config.site, publicUrl()),
    frames: (address) => framesOf(address, config),
  })
  port = await http.listen(config.HOST, config.PORT)
  base.listensOn(port)

  return {
    port,
    async stop() {
      await presence.stop()
      await complaintWork.stop()
    },
  }
}
