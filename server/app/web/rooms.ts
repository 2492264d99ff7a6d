import { MINUTE_MS, type Ms } from '#kernel/time.ts'
import type { Automatic } from '../../automatic/index.ts'
import {
  type CashierDeps,
  cashierLimits,
  deriveAddress,
  settingsAddresses,
  startClosingDeposits,
} from '../../cashier/index.ts'
import { startComplaintWork } from '../../complaints/index.ts'
import { retentionOf } from '../../config/retention.ts'
import { type DeskDeps, deskLimits, isSupportOnline } from '../../desk/index.ts'
import { startPresence, startSweeps } from '../../guardrails/index.ts'
import {
  checkConfirmedPassword,
  type IdentityDeps,
  openPasswords,
  type PasswordCost,
  requireStepUp,
  startClosures,
} from '../../identity/index.ts'
import type { BalancePush } from '../../ledger/index.ts'
import { diskStorage, type Files, openFiles, s3Storage } from '../../platform/files/index.ts'
import { openSeal } from '../../platform/secrets/seal.ts'
import { readTicks, TicksDropped } from '../../prices/index.ts'
import { webhooksLimit } from '../../signals/index.ts'
import { openChat } from '../../support/index.ts'
import type { Trading } from '../../trading/index.ts'
import { openPushServices, pushKey, startPushSender } from '../../webpush/index.ts'
import type { Base } from '../base.ts'
import { cardProvider, readCoinSources } from '../payments.ts'
import type { Screens } from '../screens.ts'
import { startKey } from '../start-key.ts'
import { guardrailsOf, identityOf, kycOf } from './people.ts'
import { startRetention } from './retention.ts'

/** What the rooms of a web node are made of. */
export interface RoomParts {
  base: Base
  screens: Screens
  trading: Trading
  balances: BalancePush
  automatic: Pick<Automatic, 'stopFollowers'>
  passwordCost: PasswordCost | undefined
}

export type Rooms = Awaited<ReturnType<typeof openRooms>>

/** Opens the rooms that serve people, and starts their work. */
export async function openRooms(parts: RoomParts) {
  const { base, screens, balances, automatic, passwordCost } = parts
  const { config, db, push, notices, keys } = base
  const coinSources = readCoinSources(config)
  const key = await startKey(config, db)
  const files = openFiles({
    storage: config.FILES_URL ? await s3Storage(config.FILES_URL) : diskStorage(`${config.dataDir}/files`),
    key,
    others: config.FILES_KEY_OTHERS,
  })
  const chat = chatOf(base, screens)
  screens.chats(chat)
  const guardrails = guardrailsOf(base, screens)
  const kyc = kycOf(base, files, guardrails)
  const webPush = openWebPush(base, key)
  const presence = startPresence({
    db,
    log: base.log,
    push,
    present: () => [...new Set([...screens.sockets.users(), ...screens.sessions.drainSeenUsers()])],
  })
  const passwords = openPasswords(passwordCost, { allowCommon: !config.production })
  const identity = identityOf(base, screens, { key, passwords, kyc, guardrails, files, ownStrategies: automatic })
  const plans = { db, push, balances, notices, keys }
  const cashier = await cashierOf(base, balances, { key, files, coinSources, identity })
  const { complaints, complaintWork } = complaintsOf(base, balances)
  const loops = [
    startSweeps(guardrails, base.log),
    startClosingDeposits(cashier, base.log),
    startClosures(identity),
    startRetention(kyc, retentionOf(config.site)),
  ]
  const desk = deskOf(parts, key, { passwords, files, chat, identity, kyc, guardrails, plans, cashier, complaints })
  return {
    files,
    guardrails,
    kyc,
    identity,
    plans,
    cashier,
    complaints,
    desk,
    webPush,
    webhooks: {
      seal: openSeal(key, 'signals from outside', config.FILES_KEY_OTHERS),
      publicUrl: base.publicUrl,
      limit: webhooksLimit(base.rateLimits),
      received: () => base.bus.publish('wake', 'signals'),
    },
    async stop() {
      await webPush.stop()
      await presence.stop()
      await complaintWork.stop()
      for (const loop of loops) await loop.stop()
    },
  }
}

/** Push notifications: the key and services that calls need, and the loop that sends them. */
function openWebPush({ db, log, config, publicUrl, bus, sendPush }: Base, installationKey: Buffer) {
  const key = pushKey(installationKey, config.WEB_PUSH_KEY)
  const services = openPushServices(config.PUSH_SERVICES)
  const contact = `mailto:${config.SUPPORT_EMAIL}`
  const sender = startPushSender({ db, log, key, services, publicUrl, contact })
  bus.subscribe('wake', (what) => {
    if (what === 'push') sender.wake()
  })
  return {
    ...{ db, key, services, brand: config.BRAND, send: sendPush },
    async stop() {
      await sender.stop()
      services.stop()
    },
  }
}

const chatOf = ({ db, config, mail, rateLimits, bus, push }: Base, { sockets }: Screens) =>
  openChat({
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

async function cashierOf(
  base: Base,
  balances: BalancePush,
  {
    key,
    files,
    coinSources,
    identity,
  }: { key: Buffer; files: Files; coinSources: ReturnType<typeof readCoinSources>; identity: IdentityDeps },
): Promise<CashierDeps> {
  const { config, db, keys, push, notices, prices, newId, publicUrl, rateLimits } = base
  return {
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
    priceAt: (symbol, at) => tapePriceAt(base, symbol, at),
    newId,
    addressFor: settingsAddresses({
      db,
      test: !config.production,
      derive: deriveAddress,
      fallback: coinSources,
    }),
    card: await cardProvider(config, publicUrl),
    checkPassword: (who, password) => checkConfirmedPassword(identity, who, password),
    requireStepUp: (who, request) => requireStepUp(db, who, request),
  }
}

/** Returns a symbol's last price at a time, of the minute before it. What the tape no longer holds has none. */
async function tapePriceAt({ db, prices }: Base, symbol: string, at: Ms) {
  const instrument = prices.instruments.bySymbol(symbol)
  const ticks = instrument ? await readTicks(db, instrument.id, at - MINUTE_MS, at).catch(noneIfDropped) : []
  const tick = ticks.at(-1)
  return tick && instrument && { price: tick.price, scale: instrument.scale, time: tick.sourceMs }
}

function noneIfDropped(error: unknown): [] {
  if (error instanceof TicksDropped) return []
  throw error
}

function complaintsOf({ db, clock, prices, notices, log }: Base, balances: BalancePush) {
  const shared = { db, clock, instruments: prices.instruments, notices }
  const complaintWork = startComplaintWork({ ...shared, balances, log })
  return {
    complaintWork,
    complaints: { ...shared, wake: complaintWork.wake },
  }
}

function deskOf(
  { base, screens, trading, balances, automatic }: RoomParts,
  key: Buffer,
  rooms: Pick<DeskDeps, 'passwords' | 'files' | 'chat' | 'identity' | 'kyc' | 'guardrails' | 'plans' | 'complaints'> & {
    cashier: CashierDeps
  },
): DeskDeps {
  const { config, db, log, clock, publicUrl, rateLimits, mail, notices, levers, priceLists, recordings, prices } = base
  return {
    ...rooms,
    db,
    reads: screens.reads.lists.db,
    log,
    clock,
    brand: config.BRAND,
    production: config.production,
    publicUrl,
    limits: deskLimits(rateLimits),
    seal: openSeal(key, 'operator', config.FILES_KEY_OTHERS),
    mail,
    notices,
    sessions: screens.sessions,
    bankSeal: rooms.cashier.seal,
    ownStrategies: automatic,
    levers,
    priceLists,
    recordings,
    prices,
    balances,
    trading,
  }
}
