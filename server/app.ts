import { fileURLToPath } from 'node:url'
import type { FrameEntry } from '#contract/push.ts'
import { fillSite } from '#contract/site.ts'
import { idSource } from '#kernel/id.ts'
import { formatPrice, price } from '#kernel/price.ts'
import {
  type CashierDeps,
  cashierLimits,
  cashierRoutes,
  deriveAddress,
  hasOpenRequest,
  settingsAddresses,
} from './cashier/index.ts'
import type { Config } from './config.ts'
import {
  adjustmentReasons,
  authenticateOperator,
  type DeskDeps,
  deskLimits,
  deskRoutes,
  inviteFirst,
  isSupportOnline,
  joinUrl,
  logAuditHead,
  recordFactorReset,
} from './desk/index.ts'
import {
  addressOf,
  ageCheck,
  type IdentityTopics,
  identityLimits,
  identityRoutes,
  profileRoutes,
  requireStepUp,
  secondFactorRoutes,
  startFactorResets,
  startResetWorker,
  startSessions,
} from './identity/index.ts'
import { currentCheck, endChecksOf, kycLimits, kycRoutes, reopenCheck, submit } from './kyc/index.ts'
import { balancesOf, hasRealMovement, openAccounts, openBalancePush, openRequestKeys } from './ledger/index.ts'
import { serveManifest } from './manifest.ts'
import { serveMap } from './map-picture.ts'
import { serveMetrics } from './metrics.ts'
import { noticesRoutes, openNotices } from './notices/index.ts'
import { cardProvider, readCoinSources } from './payments.ts'
import { plansRoutes } from './plans/index.ts'
import { createBus } from './platform/bus.ts'
import { startClock } from './platform/clock.ts'
import { openDatabase, sql } from './platform/db.ts'
import { watchEventLoop } from './platform/event-loop.ts'
import { diskStorage, filesKey, openFiles, s3Storage } from './platform/files/index.ts'
import { createHttp, serveOpenApi, servePages } from './platform/http/index.ts'
import type { Log } from './platform/log.ts'
import { mailboxPlugin, openOutbox, startMailWorker } from './platform/mail/index.ts'
import { migrate } from './platform/migrate.ts'
import type { DatabaseUrls } from './platform/postgres/provision.ts'
import { openPush } from './platform/push.ts'
import { openSeal } from './platform/seal.ts'
import { type Feed, type FrameEvent, type PricesTopics, startPrices } from './prices/index.ts'
import { fillSettings, framesOf } from './site-settings.ts'
import { serveSitemap } from './sitemap.ts'
import { statementSlots, statementsRoutes } from './statements/index.ts'
import { type Chat, contactLimits, openChat, supportRoutes } from './support/index.ts'
import { figuresRoutes, isTradeKey, startTrading, type Trading } from './trading/index.ts'

type Topics = PricesTopics & IdentityTopics

export interface App {
  port: number
  /** The first operator's invitation link and e-mail address; undefined once there is an operator. */
  firstOperator(): Promise<{ url: string; email: string } | undefined>
  stop(): Promise<void>
}

export interface AppOptions {
  config: Config
  log: Log
  urls: DatabaseUrls
  /** Tests: custom prices, and every response checked against the contract. */
  feed?: Feed
  checkReplies?: boolean
  /** Benchmarks: another way to accept trades, for comparison. */
  queue?: Parameters<typeof startTrading>[0]['queue']
}

/** The folder of the built web app. */
const WEB = fileURLToPath(new URL('../build', import.meta.url))
const LIVE = 0

/**
 * Assembles the rooms, from the bottom to the top: the only place that knows all of them. What a room needs from one
 * above it is passed in here as a function.
 */
export async function startApp({ config, log, urls, feed, checkReplies, queue }: AppOptions): Promise<App> {
  const coinSources = readCoinSources(config)
  await migrate(urls.owner)
  const database = openDatabase(urls.app, { max: 16, name: 'web', log })
  const { db } = database
  const reading = openDatabase(urls.app, { max: 4, name: 'desk', log, reads: true })
  const clock = await startClock(database.pool, log)
  const eventLoop = watchEventLoop()
  const bus = createBus<Topics>(log)
  const { rows } = await sql<{ node: bigint }>`select nextval('node_numbers') as node`.execute(db)
  const node = Number(rows[0]!.node)

  // Base addresses of links in e-mails; they also decide which pages may open sockets and renew sessions.
  let port = config.PORT
  const publicUrl = () => config.PUBLIC_URL?.replace(/\/+$/, '') ?? `http://localhost:${port}`
  const isOurOrigin = (origin: string) =>
    origin === new URL(publicUrl()).origin ||
    (!config.production && [`http://localhost:${port}`, `http://127.0.0.1:${port}`].includes(origin))

  const isOwnHost = (host: string) =>
    [...['localhost', '127.0.0.1', '[::1]', config.HOST].map((name) => `http://${name}:${port}`), publicUrl()].some(
      (address) => URL.canParse(address) && new URL(address).host === host.toLowerCase(),
    )

  const sessions = startSessions({ db, log, bus })
  const http = await createHttp({
    log,
    trustProxy: config.TRUST_PROXY,
    insecureCookies: !publicUrl().startsWith('https:'),
    rateFactor: config.rateFactor,
    authenticate: sessions.authenticate,
    authenticateOperator: (token) => authenticateOperator(db, token),
    ...(checkReplies === undefined ? {} : { checkReplies }),
  })

  // Trading depends on prices, so it reports here which part of the tape it still needs.
  let trading: Trading | undefined
  const prices = await startPrices({
    database,
    url: urls.app,
    clock,
    log,
    bus,
    config,
    ...(feed ? { feed } : {}),
    neededFrom: async () => (trading ? trading.neededFrom() : 0),
    neededMinutes: async (from, to) => (trading ? trading.neededMinutes(from, to) : new Set()),
  })

  const push = openPush({
    app: http.app,
    authenticate: sessions.authenticate,
    isOurOrigin,
    isSymbol: (symbol) => prices.instruments.bySymbol(symbol) !== undefined,
    chat: (speaker, saying) => chat.hear(speaker, saying),
    rateFactor: config.rateFactor,
    log,
  })

  const balances = openBalancePush(db, push)
  const keys = openRequestKeys(isTradeKey)

  trading = await startTrading({
    db,
    databaseUrl: urls.app,
    clock,
    tape: prices.tape,
    instruments: prices.instruments,
    log,
    node,
    rateFactor: config.rateFactor,
    realTradesOn: (kind) => kind === LIVE || config.realTradesOnTestPrices,
    push,
    balances,
    keys,
    settles: config.ROLES.includes('worker'),
    ...(queue ? { queue } : {}),
  })

  bus.subscribe('frame', (event) => {
    push.frame(toWire(event))
    trading.frame(event)
  })
  bus.subscribe('session-ended', ({ sessionIds }) => push.endSessions(sessionIds))

  const files = openFiles({
    storage: config.FILES_URL ? await s3Storage(config.FILES_URL) : diskStorage(`${config.dataDir}/files`),
    key: filesKey(config.dataDir, config.FILES_KEY),
  })
  const mailing = config.SMTP_URL
    ? startMailWorker({ db, log, smtpUrl: config.SMTP_URL, from: { name: config.BRAND, address: config.MAIL_FROM } })
    : undefined
  const mail = openOutbox(() => mailing?.wake())
  const chat: Chat = openChat({
    db,
    brand: config.BRAND,
    deskName: String(config.site.deskName),
    supportEmail: config.SUPPORT_EMAIL,
    mail,
    rateFactor: config.rateFactor,
    deskIsHere: isSupportOnline,
    tell: ({ id, userId }, data) =>
      userId === null ? push.tellChat(id, data) : push.tell(userId, { op: 'chat', data }),
    listens: ({ id, userId }) => (userId === null ? push.inChat(id) : push.listening([userId]).length > 0),
  })
  const notices = openNotices({
    brand: config.BRAND,
    publicUrl,
    mail,
    push,
    addressOf,
  })
  const kyc = { db, log, limits: kycLimits(config.rateFactor), files, push, notices }
  const identity = {
    db,
    log,
    clock,
    sessions,
    limits: identityLimits(config.rateFactor),
    brand: config.BRAND,
    publicUrl,
    isAcceptedOrigin: isOurOrigin,
    mail,
    seal: openSeal(filesKey(config.dataDir, config.FILES_KEY), 'totp'),
    notices,
    ledger: { openAccounts, balancesOf, hasRealMovement },
    // A plan request is part of the account itself.
    hasOpenRequest,
    kyc: {
      submit: (command: Parameters<typeof submit>[1]) => submit(kyc, command),
      hasCheck: async (tx: Parameters<typeof currentCheck>[0], userId: bigint) =>
        (await currentCheck(tx, userId)) !== undefined,
      endChecksOf: (tx: Parameters<typeof endChecksOf>[1], userId: bigint) => endChecksOf(kyc, tx, userId),
    },
    checkAge: ageCheck({ takesMinors: config.MINORS_WITH_GUARDIAN, now: () => clock.now() }),
    recordReset: recordFactorReset,
    wakeResets: () => resets.wake(),
  }
  const resets = startResetWorker(identity)
  const factorResets = startFactorResets(identity)
  const plans = { db, push, balances, notices, keys }
  const cashier: CashierDeps = {
    db,
    brand: config.BRAND,
    limits: cashierLimits(config.rateFactor),
    keys,
    files,
    seal: openSeal(filesKey(config.dataDir, config.FILES_KEY), 'bank'),
    push,
    balances,
    notices,
    tape: prices.tape,
    newId: idSource(node, () => Math.floor(clock.now())),
    addressFor: settingsAddresses({ db, test: !config.production, derive: deriveAddress, fallback: coinSources }),
    card: await cardProvider(config, publicUrl),
    requireStepUp: (who, request) => requireStepUp(db, who, request),
  }
  const desk: DeskDeps = {
    db,
    reads: reading.db,
    log,
    clock,
    brand: config.BRAND,
    publicUrl,
    limits: deskLimits(config.rateFactor),
    seal: openSeal(filesKey(config.dataDir, config.FILES_KEY), 'operator'),
    files,
    mail,
    notices,
    chat,
    sessions,
    identity,
    kyc,
    plans,
    cashier,
    bankSeal: cashier.seal,
    prices,
    balances,
    trading,
  }

  http.serve({
    ...identityRoutes(identity),
    ...secondFactorRoutes(identity),
    ...profileRoutes({
      db,
      log,
      files,
      limits: identity.limits,
      ledger: { balancesOf },
      kyc: { reopenCheck: (tx, userId, changedFrom) => reopenCheck(kyc, tx, userId, changedFrom) },
      checkAge: identity.checkAge,
    }),
    ...kycRoutes(kyc),
    ...noticesRoutes({ db }),
    ...plansRoutes(plans),
    ...cashierRoutes(cashier),
    ...statementsRoutes({
      db,
      brand: config.BRAND,
      slots: statementSlots(),
      instruments: prices.instruments,
      adjustmentReasons,
    }),
    ...prices.routes,
    ...trading.routes,
    ...figuresRoutes({ db, clock, tape: prices.tape, instruments: prices.instruments }),
    ...deskRoutes(desk),
    ...supportRoutes({
      contact: {
        db,
        brand: config.BRAND,
        supportEmail: config.SUPPORT_EMAIL,
        mail,
        limits: contactLimits(config.rateFactor),
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
      parts: {
        database: async () => {
          await sql`select 1`.execute(db)
          return ''
        },
        tape: async () => prices.health(),
        clock: async () => (clock.agrees() ? '' : 'clocks differ'),
        event_loop: async () => (eventLoop.isLate() ? 'event loop is late' : ''),
      },
    }),
  })
  serveOpenApi(http.app, config.BRAND)
  if (config.mailbox) {
    mailboxPlugin(http.app, { db, brand: config.BRAND, isOwnHost, servesOthers: config.PUBLIC_TEST_INSTALLATION })
  }
  serveMetrics(http.app, { push, prices, clock, eventLoop, token: config.METRICS_TOKEN })
  serveSitemap(http.app, publicUrl)
  serveManifest(http.app, config.BRAND)
  const map = await serveMap(http.app, config)
  await servePages(http.app, WEB, {
    tls: publicUrl().startsWith('https:'),
    fill: (html) => fillSite(fillSettings(html, config, map), config.site, publicUrl()),
    frames: (address) => framesOf(address, config),
  })
  const headLog = logAuditHead({ db, log })
  port = await http.listen(config.HOST, config.PORT)

  return {
    port,
    async firstOperator() {
      const email = `operator@${config.SUPPORT_EMAIL.split('@').at(-1)}`
      const invitation = await inviteFirst(db, email)
      return invitation && { email, url: joinUrl(publicUrl(), invitation.token) }
    },
    async stop() {
      // Shutdown order: stop accepting requests, finish in-flight ones, push settled trades, stop the tape, close the
      // database.
      push.close()
      await http.close()
      await trading.stop()
      await prices.stop()
      await Promise.all([resets.stop(), factorResets.stop(), mailing?.stop(), sessions.stop(), headLog.stop()])
      clock.stop()
      eventLoop.stop()
      await reading.close()
      await database.close()
    },
  }
}

const toWire = ({ n, t, entries }: FrameEvent): { n: number; t: number; p: FrameEntry[] } => ({
  n,
  t,
  p: entries.map((entry) => [entry.symbol, formatPrice(price(entry.price), entry.scale), entry.sourceMs]),
})
