import { setTimeout as sleep } from 'node:timers/promises'
import type { FrameMessage } from '#contract/messages/push.ts'
import { SOURCES } from '#contract/prices/prices.ts'
import { must } from '#kernel/must.ts'
import { formatPrice, price } from '#kernel/price.ts'
import { authenticateOperator } from '../desk/index.ts'
import { type Sessions, startSessions } from '../identity/index.ts'
import { type BalanceSender, startBalanceSender } from '../ledger/index.ts'
import { createHttp } from '../platform/http/index.ts'
import { openSockets, type Sockets } from '../platform/sockets/sockets.ts'
import type { FrameEvent } from '../prices/index.ts'
import type { Chat } from '../support/index.ts'
import type { Base } from './base.ts'
import { requestMetrics } from './metrics.ts'
import { type NodeReads, openNodeReads } from './reads.ts'

/** The connections of people's browsers to this node. */
export interface Screens {
  http: Awaited<ReturnType<typeof createHttp>>
  sessions: Sessions
  sockets: Sockets
  balances: BalanceSender
  /** Where calls with `mayLag` read. */
  reads: NodeReads
  isOurOrigin(origin: string): boolean
  /** Handles chat messages from now on. */
  chats(chat: Pick<Chat, 'receive'>): void
  /** Moves the sockets away while requests are still taken, then finishes those under way. */
  stop(): Promise<void>
}

/** Opens HTTP and sockets, on nodes with the role `web`. Nothing is served yet. */
export async function openScreens(base: Base, options: { checkReplies?: boolean }): Promise<Screens> {
  const { config, log, db, bus, levers, prices } = base
  // Subscribe before anything that pushes to browsers: a browser's next read must include what was pushed.
  const reads = openNodeReads({ config, log, database: base.database, url: base.urls.app, bus })
  let chat: Pick<Chat, 'receive'> | undefined
  let sockets: Sockets | undefined
  const isOurOrigin = ourOrigins(base)
  const sessions = startSessions({
    db,
    log,
    bus,
    ended: (sessionIds) => sockets?.endSessions(sessionIds),
    hasSockets: () => (sockets?.count() ?? 0) > 0,
  })
  const http = await openHttp(base, sessions, options.checkReplies)
  const opened = openSockets({
    app: http.app,
    authenticate: sessions.authenticate,
    isOurOrigin,
    maintenance: levers.maintenance,
    isSymbol: (symbol) => prices.instruments.bySymbol(symbol) !== undefined,
    chat: async (speaker, saying) => chat?.receive(speaker, saying),
    watched: () => bus.publish('watched', null),
    rateFactor: config.rateFactor,
    log,
  })
  sockets = {
    ...opened,
    sendToUser(userId, ...news) {
      reads.notified(userId)
      opened.sendToUser(userId, ...news)
    },
  }
  const { frame, sendToUser, gap, drain } = sockets
  base.onFrame((event) => frame(toWire(event)))
  bus.subscribe('user-news', ({ userId, news }) => sendToUser(BigInt(userId), news))
  bus.onGap(() => gap())
  levers.onChange(() => gap())
  base.priceLists.onChange(() => gap())
  return {
    http,
    sessions,
    sockets,
    reads,
    balances: startBalanceSender({ db, sockets, bus, log }),
    isOurOrigin,
    chats(of) {
      chat = of
    },
    async stop() {
      const { DRAIN_SECONDS } = config
      const withinMs = DRAIN_SECONDS === undefined ? undefined : DRAIN_SECONDS * 1_000
      await Promise.all([drain(withinMs), sleep(withinMs)])
      await http.close()
      await sessions.stop()
      await reads.stop()
    },
  }
}

/** Whether an origin is the public address, or the port on this machine outside of production. */
const ourOrigins =
  ({ config, publicUrl, port }: Base) =>
  (origin: string): boolean =>
    origin === new URL(publicUrl()).origin ||
    (!config.production && [`http://localhost:${port()}`, `http://127.0.0.1:${port()}`].includes(origin))

function openHttp(base: Base, sessions: Sessions, checkReplies: boolean | undefined) {
  const { config, log, db, publicUrl } = base
  return createHttp({
    log,
    trustProxy: config.TRUST_PROXY,
    deskNetworks: config.DESK_NETWORKS,
    insecureCookies: !publicUrl().startsWith('https:'),
    rateFactor: config.rateFactor,
    rateLimits: base.rateLimits,
    authenticate: sessions.authenticate,
    authenticateOperator: (token) => authenticateOperator(db, token),
    responded: requestMetrics(base.metrics),
    isStopping: base.isStopping,
    ...(checkReplies === undefined ? {} : { checkReplies }),
  })
}

const toWire = ({ n, t, entries }: FrameEvent): Omit<FrameMessage, 'op'> => ({
  n,
  t,
  // A frame has one kind of source.
  ...(entries[0] ? { s: must(SOURCES[entries[0].kind]) } : {}),
  p: entries.map((entry) => [entry.symbol, formatPrice(price(entry.price), entry.scale), entry.sourceMs]),
})
