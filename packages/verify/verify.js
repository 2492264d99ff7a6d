/**
 * Checks the receipt of a trade: a JSON text with the trade, the prices that decided it, and the hash chains from both
 * to checkpoints that the platform has signed and published. Pure computation with no dependencies and no network
 * access: it runs in a browser and in Node 20 or newer.
 */

import {
  bytesOf,
  centsOf,
  checkPublished,
  clock,
  dollarsOf,
  Failed,
  hexOf,
  importKey,
  isHex,
  isMoney,
  isSigned,
  isText,
  isWhole,
  keyWords,
  listOf,
  must,
  oneOf,
  orNull,
  readForm,
  sha256,
  shaped,
  wholeBytes,
} from './common.js'

import { feeOf, isSaleRule, saleTimes, varianceMinute, worth } from './sale.js'

export { keyText } from './common.js'

const ENTRY_WITHIN_MS = 10_000
/** No frame holds a price that is older than this. So frames over a longer time show that none came. */
const OLDEST_MS = 3_000
/** A settlement is in the next checkpoint, a minute later at most. One that is later than this is shown as late. */
const SETTLED_WITHIN_MS = 120_000
/** An order is bound within two seconds. One that is bound later is shown as late. */
const BOUND_WITHIN_MS = 2_000
/** A key is published just before it signs, by a clock that isn't quite the tape's. */
const PUBLISHED_WITHIN_MS = 600_000
const SOURCES = ['live', 'replay', 'simulation']
const REASON = {
  above: 'The price ended above the entry.',
  below: 'The price ended below the entry.',
  equal: 'The price ended where it began: the stake was returned.',
  noEntry: 'No price came within 10 seconds after the trade: the stake was returned.',
  noExit: 'There was no fresh price at the end: the stake was returned.',
  sourceChanged: 'The source of the prices changed during the trade: the stake was returned.',
  sold: 'You sold the trade before its end.',
}
const VOIDED = 'An operator voided this trade and returned the stake: '

/** The checks, in order. */
export const STEPS = {
  form: 'The file is a complete receipt',
  keys: 'The keys are the ones they claim to be',
  checkpoints: 'The checkpoints are signed',
  chain: 'The frames lead to the checkpoints',
  order: 'The order is the one that was bound when it was accepted',
  trade: 'The trade and its outcome are part of a checkpoint',
  times: 'The times only grow, on one tape',
  ticks: 'The prices are in the frames',
  entry: 'The entry is the first price after the order',
  exit: 'The exit is the last price before the end',
  outcome: 'The outcome and the payout follow from the rule',
}

/**
 * Checks a receipt. `published`: the keys that the platform publishes, or your older copy of them: of the `newer` ones, those
 * then count that an older one leads to by signatures. Without `published`, the result lists the keys to compare with the
 * published ones. `orderHash`: the hash that came with the answer to the order, if the trader has kept it. Where a
 * key was revoked since, older checkpoints still count if `later` checkpoints lead from them to one of another key, or to
 * one of the `known` digests, which an authority certified or somebody published before. Never throws for a bad receipt.
 */
export async function verifyReceipt(text, { published: copy, newer = [], orderHash, later = [], known = [] } = {}) {
  const steps = []
  let receipt
  try {
    receipt = readForm(text, RECEIPT, RECEIPT_2, RECEIPT_3)
    steps.push(done('form', `Version ${receipt.version}, trade ${receipt.trade.id}`))
    const published = copy && (await checkPublished(copy, newer))
    const keys = await checkKeys(receipt, published)
    const kept = await checkRevoked(receipt, { published, later, known })
    const ids = [...keys.keys()]
    steps.push(
      done(
        'keys',
        published
          ? `Published by the platform: ${ids.map((id) => keyWords(published.find((one) => one.id === id))).join(', ')}${kept}`
          : `Compare with the keys that the platform publishes: ${ids.join(', ')}`,
      ),
    )
    for (const checkpoint of checkpointsOf(receipt)) await checkCheckpoint(checkpoint, keys)
    steps.push(
      done(
        'checkpoints',
        checkpointsOf(receipt)
          .map(({ frame, time }) => `frame ${frame}, ${clock(time)}`)
          .join(' and '),
      ),
    )
    const bodies = await checkChains(receipt)
    steps.push(done('chain', `${receipt.segments.reduce((sum, { frames }) => sum + frames.length, 0)} frames`))
    steps.push(done('order', await checkOrder(receipt, bodies, { published, orderHash })))
    await checkTrade(receipt)
    steps.push(
      done(
        'trade',
        `${oneOfMany(receipt.settlement.checkpoint.trades)} in the checkpoint of ${clock(receipt.settlement.checkpoint.time)}`,
      ),
    )
    checkTimes(receipt)
    steps.push(done('times', timesWords(receipt)))
    if (isVoided(receipt)) {
      const { stake } = receipt.trade
      must(
        receipt.outcome.status === 'Void' && receipt.outcome.payout === stake,
        'outcome',
        'A voided trade returns its stake',
      )
      steps.push(done('outcome', 'Two operators voided the trade; no price decided it'))
      return { ok: true, steps, receipt }
    }
    checkTicks(receipt, bodies)
    steps.push(done('ticks', allTicks(receipt).length === 1 ? '1 price' : `${allTicks(receipt).length} prices`))
    checkEntry(receipt, bodies)
    steps.push(done('entry', entryWords(receipt)))
    checkExit(receipt, bodies)
    steps.push(done('exit', exitWords(receipt)))
    const { status, payout, reason } = receipt.version === 3 ? decideSale(receipt) : decide(receipt)
    const stored = receipt.outcome
    must(status === stored.status, 'outcome', `The rule gives ${status}, the receipt says ${stored.status}`)
    must(payout === stored.payout, 'outcome', `The rule pays ${payout}, the receipt says ${stored.payout}`)
    must(reason === stored.reason, 'outcome', 'The reason differs from what the rule gives')
    steps.push(done('outcome', outcomeWords(receipt)))
    return { ok: true, steps, receipt }
  } catch (error) {
    if (!(error instanceof Failed)) throw error
    steps.push({ step: error.step, title: STEPS[error.step], ok: false, says: error.message })
    return { ok: false, steps, receipt: undefined }
  }
}

const done = (step, says) => ({ step, title: STEPS[step], ok: true, says })

/* Form: every field has the right type, in a fixed order, and there are no others. */

const isFrame = (value) =>
  Array.isArray(value) &&
  ((value.length === 2 && isWhole(value[0]) && isHex(32)(value[1])) ||
    (value.length === 3 &&
      isWhole(value[0]) &&
      value[1] === 'body' &&
      isText(value[2]) &&
      value[2].length % 2 === 0 &&
      /^[0-9a-f]+$/.test(value[2])))
const TICK = { sequence: isWhole, time: isWhole, price: isText, source: oneOf(...SOURCES), frame: isWhole }
const STATED = { epoch: isWhole, frame: isWhole, time: isWhole, hash: isHex(32), trades: isWhole, root: isHex(32) }
const SIGNED = { key: isHex(16), signature: isHex(64) }
const CHECKPOINT = shaped({ ...STATED, ...SIGNED })
const CHECKPOINT_2 = shaped({ ...STATED, previous: isHex(32), ...SIGNED })
const isCheckpoint = (value) => CHECKPOINT(value) || CHECKPOINT_2(value)
const SEGMENT = { first: isWhole, before: isHex(32), frames: listOf(isFrame), checkpoint: isCheckpoint }
const isRule = (value) => isText(value) && Object.hasOwn(RULES, value)
const TRADE = {
  id: isText,
  mode: oneOf('real', 'demo'),
  symbol: isText,
  side: oneOf('Buy', 'Sell'),
  stake: isMoney,
  percent: isWhole,
  trade_time: isWhole,
  end_time: isWhole,
  stale_after_ms: isWhole,
  source: oneOf(...SOURCES),
  rule_version: isRule,
}
const OUTCOME = { status: oneOf('Won', 'Lost', 'Draw', 'Void'), payout: isMoney, reason: isText }
const TICKS = {
  before_entry: orNull(shaped(TICK)),
  entry: orNull(shaped(TICK)),
  change: orNull(shaped(TICK)),
  exit: orNull(shaped(TICK)),
  after_exit: orNull(shaped(TICK)),
}
const PROOF = {
  ticks: shaped(TICKS),
  segments: listOf(shaped(SEGMENT)),
  settlement: shaped({ position: isWhole, path: listOf(isHex(32)), checkpoint: isCheckpoint }),
  keys: listOf(shaped({ id: isHex(16), public_key: isHex(32) })),
}
const RECEIPT = {
  type: oneOf('cleartick receipt'),
  version: oneOf(1),
  trade: shaped(TRADE),
  outcome: shaped(OUTCOME),
  ...PROOF,
}
/** Version 2 also has the order, and where the tape binds it. */
const TERMS_2 = {
  id: isText,
  mode: oneOf('real', 'demo'),
  symbol: isText,
  side: oneOf('Buy', 'Sell'),
  stake: isMoney,
  strike_rate: (value) => isText(value) && /^\d{1,3}\/\d{1,3}$/.test(value),
  percent: isWhole,
  duration: isWhole,
  trade_time: isWhole,
}
const RULES_2 = {
  stale_after_ms: isWhole,
  source: oneOf(...SOURCES),
  rule_version: isRule,
  price_list: orNull((value) => isText(value) && /^[A-Z0-9]{1,20}$/.test(value)),
}
const RECEIPT_2 = {
  type: oneOf('cleartick receipt'),
  version: oneOf(2),
  order: shaped({ ...TERMS_2, ...RULES_2, salt: isHex(16) }),
  trade: shaped({ ...TERMS_2, end_time: isWhole, ...RULES_2, order: isHex(32) }),
  outcome: shaped({ ...OUTCOME, sale: oneOf(null) }),
  bound: shaped({ frame: isWhole, position: isWhole, path: listOf(isHex(32)) }),
  ...PROOF,
}

/** Version 3 is of a trade that was sold before its end. */
const SALE = {
  rule: isSaleRule,
  ordered_at: isWhole,
  minimum: isMoney,
  variance: isWhole,
  fee: isMoney,
}
const RECEIPT_3 = {
  ...RECEIPT_2,
  version: oneOf(3),
  outcome: shaped({ status: oneOf('Sold'), payout: isMoney, reason: isText, sale: shaped(SALE) }),
  sold: shaped({ variance_frame: isWhole, before: shaped(TICK) }),
}

/* Keys, checkpoints, chains. */

async function checkKeys(receipt, published) {
  const keys = new Map()
  // Whether those that were revoked still count, is checked next.
  const all = published?.map(({ id }) => ({ id }))
  for (const key of receipt.keys) keys.set(key.id, await importKey(key, all))
  for (const { key, frame, time } of checkpointsOf(receipt)) {
    must(keys.has(key), 'keys', `The key ${key} is missing`)
    const since = published?.find(({ id }) => id === key).created_at
    must(
      since === undefined || time >= Date.parse(since) - PUBLISHED_WITHIN_MS,
      'keys',
      `The checkpoint at frame ${frame} is of ${clock(time)}, but the key ${key} began at ${since}`,
    )
  }
  must(
    receipt.keys.length === new Set(checkpointsOf(receipt).map(({ key }) => key)).size,
    'keys',
    'There is a key that signed nothing',
  )
  return keys
}

/** Checks that what a revoked key has signed is older than its revocation. Returns what was found, as text. */
async function checkRevoked(receipt, { published, later, known }) {
  const isRevoked = (key) => published?.some(({ id, revoked_at }) => id === key && revoked_at !== undefined)
  const next = new Map(later.map((checkpoint) => [checkpoint.previous, checkpoint]))
  let found = ''
  for (const checkpoint of checkpointsOf(receipt).filter(({ key }) => isRevoked(key))) {
    const { key, frame } = checkpoint
    for (let at = checkpoint; ; ) {
      const digest = hexOf(await sha256(new TextEncoder().encode(checkpointText(at))))
      if (known.includes(digest)) break
      next.delete(at.previous)
      at = next.get(digest)
      must(
        at,
        'keys',
        `The platform has revoked the key ${key}, and nothing shows that the checkpoint at frame ${frame} is older`,
      )
      const other = published.find(({ id, revoked_at }) => id === at.key && revoked_at === undefined)
      if (other && (await isSigned(await importKey(other), at.signature, checkpointText(at)))) break
    }
    found = '. One was revoked later: these checkpoints are older'
  }
  return found
}

/** Returns the distinct checkpoints of a receipt. */
function checkpointsOf({ segments, settlement }) {
  const all = [...segments.map(({ checkpoint }) => checkpoint), settlement.checkpoint]
  return [...new Map(all.map((checkpoint) => [JSON.stringify(checkpoint), checkpoint])).values()]
}

/** The text that a checkpoint's signature covers. Version 2 has the hash of the text of the one before. */
export const checkpointText = ({ epoch, frame, time, hash, trades, root, previous, key }) =>
  previous === undefined
    ? `cleartick checkpoint 1\nepoch ${epoch}\nframe ${frame}\ntime ${time}\nhash ${hash}\ntrades ${trades}\nroot ${root}\n`
    : `cleartick checkpoint 2\nepoch ${epoch}\nframe ${frame}\ntime ${time}\nhash ${hash}\ntrades ${trades}\nroot ${root}\nprevious ${previous}\nkey ${key}\n`

async function checkCheckpoint(checkpoint, keys) {
  const valid = await isSigned(keys.get(checkpoint.key), checkpoint.signature, checkpointText(checkpoint))
  must(valid, 'checkpoints', `The signature of the checkpoint at frame ${checkpoint.frame} is wrong`)
}

/** Returns the frame bodies in the receipt, by frame number. */
async function checkChains({ segments }) {
  const bodies = new Map()
  for (const { first, before, frames, checkpoint } of segments) {
    let hash = bytesOf(before)
    let n = first - 1
    let t = -1
    for (const frame of frames) {
      n++
      must(frame[0] > t, 'chain', `The time of frame ${n} doesn't ascend`)
      t = frame[0]
      const body = frame.length === 3 ? bytesOf(frame[2]) : undefined
      if (body) bodies.set(n, { t, body })
      hash = await sha256(hash, wholeBytes(n), wholeBytes(t), body ? await sha256(body) : bytesOf(frame[1]))
    }
    must(
      n === checkpoint.frame && t === checkpoint.time && hexOf(hash) === checkpoint.hash,
      'chain',
      `The frames from ${first} on don't lead to the checkpoint at frame ${checkpoint.frame}`,
    )
  }
  return bodies
}

/** The bytes of an order in the tree of its frame: a line for each field. */
export const orderText = (order) =>
  `cleartick order 1\nid ${order.id}\nmode ${order.mode}\nsymbol ${order.symbol}\nside ${order.side}\nstake ${order.stake}\nstrike rate ${order.strike_rate}\npercent ${order.percent}\nduration ${order.duration}\ntrade time ${order.trade_time}\nstale after ${order.stale_after_ms}\nsource ${order.source}\nrule ${order.rule_version}\nprice list ${order.price_list ?? '-'}\nsalt ${order.salt}\n`

/** The bytes of a trade in the tree of its checkpoint. */
export const leafText = ({ trade, outcome }) => JSON.stringify({ trade, outcome })

async function checkTrade({ trade, outcome, settlement: { position, path, checkpoint } }) {
  must(position < checkpoint.trades, 'trade', 'The position is outside of the checkpoint')
  const root = await climb(await leafOf(leafText({ trade, outcome })), { position, path, width: checkpoint.trades })
  must(root !== undefined, 'trade', "The path to the checkpoint doesn't have the right length")
  must(root === checkpoint.root, 'trade', "The trade or its outcome isn't what the checkpoint holds")
}

const leafOf = (text) => sha256(new Uint8Array([0]), new TextEncoder().encode(text))

/** Returns the root that a leaf and its path lead to in a tree of this width; undefined if the path is too short or long. */
async function climb(leaf, { position, path, width }) {
  let hash = leaf
  let place = position
  const rest = [...path]
  for (let level = width; level > 1; level = Math.ceil(level / 2)) {
    const isLast = place === level - 1 && level % 2 === 1
    if (!isLast) {
      const sibling = rest.shift()
      if (sibling === undefined) return undefined
      hash = await (place % 2 === 0
        ? sha256(new Uint8Array([1]), hash, bytesOf(sibling))
        : sha256(new Uint8Array([1]), bytesOf(sibling), hash))
    }
    place = Math.floor(place / 2)
  }
  return rest.length === 0 ? hexOf(hash) : undefined
}

/* The order. */

/** What an order and its trade have in common, by how a person calls it. */
const BOUND = {
  id: 'id',
  mode: 'account',
  symbol: 'symbol',
  side: 'side',
  stake: 'stake',
  strike_rate: 'strike rate',
  percent: 'payout rate',
  duration: 'duration',
  trade_time: 'trade time',
  stale_after_ms: 'longest age of the exit price',
  source: 'source of prices',
  rule_version: 'rule',
  price_list: 'price list',
}

/** Compares the trade with the order that the tape holds. Returns what was found, as text. */
async function checkOrder(receipt, bodies, { published, orderHash }) {
  const { order, trade, bound } = receipt
  if (receipt.version === 1) {
    const since = published?.find(({ orders_since }) => orders_since !== undefined)?.orders_since
    must(
      !(trade.trade_time >= since),
      'order',
      `The platform binds orders since ${since && clock(since)}, so the receipt of this trade has version 2`,
    )
    must(orderHash === undefined, 'order', 'A receipt of version 1 holds no hash of the order')
    return 'Not bound: the trade is from before version 2, so only its settlement is signed'
  }
  const frame = bodies.get(bound.frame)
  must(frame, 'order', `Frame ${bound.frame} with the order is missing`)
  const { orders } = decodeBody(frame, 'order')
  must(orders && bound.position < orders.count, 'order', `Frame ${bound.frame} doesn't bind this order`)
  const leadsToFrame = async (one) =>
    (await climb(await leafOf(orderText(one)), { ...bound, width: orders.count })) === orders.root
  if (!(await leadsToFrame(order))) {
    // If only the order was changed, the trade says what it was.
    for (const [field, name] of Object.entries(BOUND))
      must(!(await leadsToFrame({ ...order, [field]: trade[field] })), 'order', changed(name, trade, order, field))
    throw new Failed('order', `The order isn't the one that frame ${bound.frame} holds: ${TERMS} was changed`)
  }
  for (const [field, name] of Object.entries(BOUND))
    must(order[field] === trade[field], 'order', changed(name, order, trade, field))
  const hash = hexOf(await leafOf(orderText(order)))
  must(trade.order === hash, 'order', 'The trade names the hash of another order')
  must(orderHash === undefined || orderHash === hash, 'order', "The order doesn't have the hash that you kept")
  must(trade.end_time === trade.trade_time + 1_000 * trade.duration, 'order', 'The duration was changed')
  const [buy, sell] = trade.strike_rate.split('/')
  must(
    trade.percent === Number(trade.side === 'Buy' ? buy : sell),
    'order',
    "The payout rate isn't that of the strike rate",
  )
  const late = frame.t - trade.trade_time
  const after = late > BOUND_WITHIN_MS ? `, only ${(late / 1000).toFixed(1)} s after the order` : ''
  return `Hash ${hash} in frame ${bound.frame}, ${clock(frame.t)}${after}`
}

const TERMS = 'the side, stake, strike rate, duration, trade time or another term'
const changed = (name, was, is, field) => `The ${name} was changed from ${was[field]} to ${is[field]}`

/* Times. */

/** How long after the order, and after its end, a trade can be settled at the earliest. */
function settledFrom(receipt) {
  const { trade } = receipt
  if (isVoided(receipt)) return trade.trade_time
  if (receipt.version === 3) return receipt.outcome.sale.ordered_at
  return receipt.outcome.reason === REASON.noEntry ? trade.trade_time + ENTRY_WITHIN_MS : trade.end_time
}

/** Everything in a receipt is of one tape, whose times grow with its frames, and the trade was settled after its end. */
function checkTimes(receipt) {
  const { trade, ticks, segments, settlement } = receipt
  const checkpoints = checkpointsOf(receipt)
  must(new Set(checkpoints.map(({ epoch }) => epoch)).size === 1, 'times', 'The checkpoints are of different epochs')
  must(trade.trade_time < trade.end_time, 'times', 'The trade ends before it begins')
  const { checkpoint } = settlement
  must(
    checkpoint.time > settledFrom(receipt),
    'times',
    `The trade was settled by ${clock(checkpoint.time)}, before it ended at ${clock(settledFrom(receipt))}`,
  )
  const times = new Map()
  const add = (frame, time) => {
    must(!times.has(frame) || times.get(frame) === time, 'times', `Frame ${frame} has two times`)
    times.set(frame, time)
  }
  for (const { first, frames } of segments) for (const [i, [time]] of frames.entries()) add(first + i, time)
  for (const { frame, time } of checkpoints) add(frame, time)
  let before = -1
  for (const [frame, time] of [...times].sort(([a], [b]) => a - b)) {
    must(time > before, 'times', `Frame ${frame} is of ${clock(time)}, before the frames before it`)
    before = time
  }
  const decisive = receipt.outcome.reason === REASON.noEntry ? [] : [ticks.entry, ticks.change, ticks.exit]
  for (const tick of [ticks.before_entry, ...decisive])
    must(tick === null || tick.frame <= checkpoint.frame, 'times', 'The trade was settled before its prices')
  const inOrder = allTicks(receipt)
    .map(([, tick]) => tick)
    .sort((a, b) => a.sequence - b.sequence)
  for (const [i, tick] of inOrder.entries()) {
    const last = inOrder[i - 1]
    const grows = !last || (tick.sequence === last.sequence ? tick.time === last.time : tick.time > last.time)
    must(
      grows && (!last || tick.frame >= last.frame),
      'times',
      `Price ${tick.sequence} isn't after the price before it`,
    )
  }
}

function timesWords(receipt) {
  const { checkpoint } = receipt.settlement
  const { trade } = receipt
  if (receipt.version === 3) return `Epoch ${checkpoint.epoch}, sold before the end`
  const late = checkpoint.time - trade.end_time
  const settled =
    late > SETTLED_WITHIN_MS ? `settled ${Math.round(late / 60_000)} min after the end` : 'settled in time'
  return `Epoch ${checkpoint.epoch}, ${settled}`
}

/* Prices. */

const NAMES = {
  before_entry: 'the price before the entry',
  entry: 'the entry',
  change: 'the price of another source',
  exit: 'the exit',
  after_exit: 'the price after the exit',
  before_sale: 'the price before the sale',
}

/** The prices of a receipt, each with its role. */
const allTicks = ({ ticks, sold }) =>
  [...Object.entries(ticks), ['before_sale', sold?.before ?? null]].filter(([, tick]) => tick !== null)

function checkTicks(receipt, bodies) {
  const { trade, bound, sold } = receipt
  for (const [role, tick] of allTicks(receipt)) {
    const frame = bodies.get(tick.frame)
    must(frame, 'ticks', `Frame ${tick.frame} with ${NAMES[role]} is missing`)
    const entry = decodeBody(frame, 'ticks').entries.find(({ symbol }) => symbol === trade.symbol)
    must(entry, 'ticks', `Frame ${tick.frame} has no price of ${trade.symbol}`)
    const { sequence, time, price, source } = entry
    must(
      sequence === tick.sequence && time === tick.time && price === tick.price && source === tick.source,
      'ticks',
      `Frame ${tick.frame} has ${price} as number ${sequence} instead of ${NAMES[role]}`,
    )
  }
  // Reject frame bodies that contain none of the receipt's prices, and don't show that there was none.
  const named = new Set(allTicks(receipt).map(([, tick]) => tick.frame))
  if (sold) named.add(sold.variance_frame)
  for (const span of [silentEntry(receipt), silentExit(receipt)])
    for (const [n] of framesOver(bodies, span)) named.add(n)
  for (const n of bodies.keys())
    must(named.has(n) || n === bound?.frame, 'ticks', `Frame ${n} holds no price of this receipt`)
}

/** The time in which the receipt claims that there was no price for an entry; undefined if there is a later price. */
const silentEntry = ({ trade, ticks }) =>
  ticks.entry === null ? { after: trade.trade_time, until: trade.trade_time + ENTRY_WITHIN_MS } : undefined

/** The time before the end in which the receipt claims that no other price came; undefined if there is a later price. */
const silentExit = ({ version, trade, ticks: { exit, after_exit } }) =>
  version !== 3 && exit !== null && after_exit === null
    ? { after: Math.max(exit.time, trade.end_time - trade.stale_after_ms), until: trade.end_time }
    : undefined

/** The frames that can hold a price of this time, with the one before and the one after; empty if some are missing. */
function framesOver(bodies, span) {
  if (span === undefined) return []
  const all = [...bodies].sort(([a], [b]) => a - b)
  const first = all.findLastIndex(([, { t }]) => t <= span.after)
  const last = all.findIndex(([, { t }]) => t > span.until + OLDEST_MS)
  const run = first === -1 || last === -1 ? [] : all.slice(first, last + 1)
  return run.length > 0 && run.at(-1)[0] - run[0][0] === run.length - 1 ? run : []
}

function checkSilence({ trade }, bodies, span, step) {
  const frames = framesOver(bodies, span)
  must(frames.length > 0, step, 'There is no later price, and the frames that show that none came are incomplete')
  for (const [n, frame] of frames)
    for (const { symbol, time } of decodeBody(frame, step).entries)
      must(
        symbol !== trade.symbol || time <= span.after || time > span.until,
        step,
        `Frame ${n} has a price of ${trade.symbol} that the receipt leaves out`,
      )
}

function checkEntry(receipt, bodies) {
  const {
    trade,
    ticks: { before_entry: before, entry, change },
  } = receipt
  if (entry === null) {
    must(change === null, 'entry', 'There is no price after the order, but the source changed')
    checkSilence(receipt, bodies, silentEntry(receipt), 'entry')
    return
  }
  must(entry.time > trade.trade_time, 'entry', 'The entry is not after the order')
  must(entry.sequence === (before ? before.sequence + 1 : 1), 'entry', "The entry doesn't follow the price before it")
  must(!before || before.time <= trade.trade_time, 'entry', 'The price before the entry is after the order too')
}

function checkExit(receipt, bodies) {
  const { trade, ticks } = receipt
  if (receipt.version === 3) {
    checkSale(receipt, bodies)
    return
  }
  if (!needsExit(receipt)) {
    must(ticks.exit === null && ticks.after_exit === null, 'exit', 'Without an entry there is no exit')
    return
  }
  const { exit, after_exit: after } = ticks
  must(exit, 'exit', 'There is no exit')
  must(exit.time <= trade.end_time, 'exit', 'The exit is after the end')
  if (after === null) {
    checkSilence(receipt, bodies, silentExit(receipt), 'exit')
    return
  }
  must(after.time > trade.end_time, 'exit', 'There is a later price before the end')
  must(after.sequence === exit.sequence + 1, 'exit', "The next price doesn't follow the exit")
}

/** The sale is at the first price after the order to sell, by the variance that the tape states for its time. */
function checkSale({ trade, ticks, outcome: { sale }, sold }, bodies) {
  const { exit, after_exit: after, change, entry } = ticks
  const { waitMs, closedMs } = saleTimes(sale.rule)
  must(entry && exit && after === null && change === null, 'exit', 'A sale has an entry, its price and no other')
  must(exit.sequence > entry.sequence, 'exit', 'The sale is not after the entry')
  must(exit.time > sale.ordered_at, 'exit', 'The price of the sale is not after the order to sell')
  must(exit.time <= sale.ordered_at + waitMs, 'exit', 'The price of the sale is too late after the order to sell')
  must(exit.sequence === sold.before.sequence + 1, 'exit', "The sale doesn't follow the price before it")
  must(sold.before.time <= sale.ordered_at, 'exit', 'The price before the sale is after the order to sell too')
  must(
    exit.time >= trade.trade_time + closedMs && exit.time <= trade.end_time - closedMs,
    'exit',
    'A trade is not for sale at that time',
  )
  const frame = bodies.get(sold.variance_frame)
  must(frame, 'exit', `Frame ${sold.variance_frame} with the variance is missing`)
  must(varianceMinute(frame.t) === varianceMinute(exit.time), 'exit', 'The variance is of another minute')
  const stated = decodeBody(frame, 'exit').variances.get(trade.symbol)
  must(stated === sale.variance, 'exit', `Frame ${sold.variance_frame} doesn't state the variance of the sale`)
}

const isVoided = ({ outcome }) => outcome.reason.startsWith(VOIDED)
const isEntered = ({ trade, ticks }) => ticks.entry !== null && ticks.entry.time <= trade.trade_time + ENTRY_WITHIN_MS
const needsExit = (receipt) => isEntered(receipt) && receipt.ticks.change === null

/** What a sold trade was worth. */
function decideSale({ trade, ticks: { entry, exit }, outcome: { sale } }) {
  must(entry.source === trade.source && exit.source === trade.source, 'outcome', 'A price has another source')
  const stake = centsOf(trade.stake)
  const payout = stake + (stake * BigInt(trade.percent) + 50n) / 100n
  const [bought, sold] = unitsBoth(entry.price, exit.price)
  const terms = { rule: sale.rule, side: trade.side, payout, entry: bought, price: sold, variance: sale.variance }
  const value = worth({ ...terms, left: trade.end_time - exit.time })
  must(dollarsOf(feeOf(sale.rule, payout)) === sale.fee, 'outcome', 'The fee is not that of the rule')
  must(value >= centsOf(sale.minimum), 'outcome', 'It was sold for less than the minimum of the order')
  must(value > 0n, 'outcome', 'It was sold for nothing')
  return { status: 'Sold', payout: dollarsOf(value), reason: REASON.sold }
}

/** How each version of the rules decides a trade. Each trade keeps the version that it was made under. */
const RULES = { 'FT-1': decideFt1 }

/** Decides a trade by its rule, from its terms and the prices around its entry and exit. */
export const decide = ({ trade, ticks }) => RULES[trade.rule_version]({ trade, ticks })

function decideFt1(receipt) {
  const { trade, ticks } = receipt
  const returned = (reason) => ({ status: 'Void', payout: trade.stake, reason })
  if (!isEntered(receipt)) return returned(REASON.noEntry)
  const { entry, change, exit } = ticks
  if (change !== null) {
    must(
      change.time > trade.trade_time && change.time <= trade.end_time,
      'outcome',
      'The source changed outside of the trade',
    )
    must(change.source !== trade.source, 'outcome', 'The source did not change')
    return returned(REASON.sourceChanged)
  }
  must(entry.source === trade.source, 'outcome', 'The entry has another source')
  if (exit.sequence <= entry.sequence || exit.time < trade.end_time - trade.stale_after_ms)
    return returned(REASON.noExit)
  must(exit.source === trade.source, 'outcome', 'The exit has another source')
  const stake = centsOf(trade.stake)
  const [ended, began] = unitsBoth(exit.price, entry.price)
  const difference = ended - began
  if (difference === 0n) return { status: 'Draw', payout: trade.stake, reason: REASON.equal }
  const above = difference > 0n
  const won = above === (trade.side === 'Buy')
  return {
    status: won ? 'Won' : 'Lost',
    payout: dollarsOf(won ? stake + (stake * BigInt(trade.percent) + 50n) / 100n : 0n),
    reason: above ? REASON.above : REASON.below,
  }
}

/** Decodes a frame's prices, the orders that it binds and the variances that it states; README.md describes the encoding. */
function decodeBody({ t, body }, step) {
  let at = 0
  const byte = () => {
    must(at < body.length, step, 'A frame ends too early')
    return body[at++]
  }
  const whole = () => {
    let value = 0
    let factor = 1
    for (;;) {
      const next = byte()
      value += (next & 0x7f) * factor
      must(value <= Number.MAX_SAFE_INTEGER, step, 'A number in a frame is too large')
      if (next < 128) return value
      factor *= 128
    }
  }
  const version = byte()
  must(version >= 1 && version <= 3, step, 'A frame has an unknown version')
  const name = () => Array.from({ length: byte() }, () => String.fromCharCode(byte())).join('')
  const entries = Array.from({ length: whole() }, () => {
    const symbol = name()
    const source = SOURCES[byte()]
    const scale = byte()
    const sequence = whole()
    const time = t - whole()
    const digits = String(whole()).padStart(scale + 1, '0')
    const price = scale === 0 ? digits : `${digits.slice(0, -scale)}.${digits.slice(-scale)}`
    return { symbol, source, sequence, time, price }
  })
  const count = version > 1 ? whole() : 0
  const orders = count > 0 ? { count, root: hexOf(Uint8Array.from({ length: 32 }, byte)) } : undefined
  const variances = new Map(version === 3 ? Array.from({ length: whole() }, () => [name(), whole()]) : [])
  return { entries, orders, variances }
}

/* Text of the results. */

const oneOfMany = (trades) => (trades === 1 ? 'The only trade' : `One of ${trades} trades`)

function entryWords({ trade, ticks: { entry } }) {
  if (entry === null) return `None: no price came within 10 seconds after the order at ${clock(trade.trade_time)}`
  const when = `${entry.price} at ${clock(entry.time)}, the first price after the order at ${clock(trade.trade_time)}`
  return entry.time <= trade.trade_time + ENTRY_WITHIN_MS ? when : `${when}, but more than 10 seconds later`
}

function exitWords(receipt) {
  const { trade, ticks } = receipt
  if (receipt.version === 3)
    return `${ticks.exit.price} at ${clock(ticks.exit.time)}, the first price after the order to sell at ${clock(receipt.outcome.sale.ordered_at)}`
  if (!isEntered(receipt)) return 'Not needed: there was no entry'
  if (ticks.change !== null) return `Not needed: the source changed at ${clock(ticks.change.time)}`
  const { exit } = ticks
  if (ticks.after_exit === null && exit.time < trade.end_time - trade.stale_after_ms)
    return `None: no price came in the ${trade.stale_after_ms / 1_000} seconds up to the end at ${clock(trade.end_time)}`
  return `${exit.price} at ${clock(exit.time)}, the last price up to the end at ${clock(trade.end_time)}`
}

function outcomeWords({ trade, ticks, outcome }) {
  if (outcome.status === 'Sold')
    return `Sold for $${outcome.payout} after a fee of $${outcome.sale.fee}, by the formula ${outcome.sale.rule}`
  if (outcome.status === 'Void') return `${outcome.reason.replace(/: .*/, '')}: $${outcome.payout} returned`
  const compared = outcome.status === 'Draw' ? 'equals' : outcome.reason === REASON.above ? 'is above' : 'is below'
  const bought = trade.side === 'Buy' ? 'you bought' : 'you sold'
  const paid =
    outcome.status === 'Won'
      ? `$${trade.stake} + ${trade.percent}% = $${outcome.payout} paid`
      : `$${outcome.payout} paid`
  return `${ticks.exit.price} ${compared} ${ticks.entry.price}; ${bought}: ${paid}`
}

/** Returns two prices in units of the finer scale. */
function unitsBoth(a, b) {
  const scaleOf = (text) => text.split('.')[1]?.length ?? 0
  const scale = Math.max(scaleOf(a), scaleOf(b))
  const units = (text) => BigInt(text.replace('.', '') + '0'.repeat(scale - scaleOf(text)))
  return [units(a), units(b)]
}
