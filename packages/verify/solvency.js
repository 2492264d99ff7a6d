/**
 * Checks a proof of solvency: a JSON text with a trader's balances in several entries, the path from each to the root of
 * a tree of everyone's entries, and the signed statement with that root and the total. Pure computation with no dependencies.
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
  isSignedMoney,
  isText,
  isWhole,
  keyWords,
  listOf,
  must,
  oneOf,
  readForm,
  sha256,
  shaped,
  wholeBytes,
} from './common.js'

/** The checks, in order. */
export const SOLVENCY_STEPS = {
  form: 'The file is a complete proof',
  keys: 'The key is the one it claims to be',
  statement: 'The statement is signed',
  balances: 'Your balances are entries of the tree',
  path: 'The sums lead up to the total',
  root: 'The tree is the one that was signed',
}

/**
 * Checks a proof of solvency. `published` and `newer`: the keys, as for `verifyReceipt`. Never throws for a bad proof.
 */
export async function verifySolvency(text, { published: copy, newer = [] } = {}) {
  const steps = []
  const done = (step, says) => steps.push({ step, title: SOLVENCY_STEPS[step], ok: true, says })
  try {
    const proof = readForm(text, FIRST_PROOF, SECOND_PROOF, PROOF)
    const { statement, account, entries = [proof] } = proof
    must(entries.length > 0, 'form', 'It has no entry')
    must(new Set(entries.map(({ position }) => position)).size === entries.length, 'form', 'Two entries are one')
    done('form', `Statement ${statement.number}, for ${account}`)
    const published = copy && (await checkPublished(copy, newer))
    const key = await importKey(proof.key, published)
    must(statement.key === proof.key.id, 'keys', 'The statement names another key')
    done(
      'keys',
      published
        ? `Published by the platform: ${keyWords(published.find(({ id }) => id === proof.key.id))}`
        : `Compare with the keys that the platform publishes: ${proof.key.id}`,
    )
    const valid = await isSigned(key, statement.signature, statementText(statement))
    must(valid, 'statement', `The signature of statement ${statement.number} is wrong`)
    done('statement', `$${statement.total} owed to ${counted(statement.accounts)}, ${clock(statement.time)}`)
    const [available, inTrades, inWithdrawals] = PARTS.map((part) => totalOf(entries, part))
    const own = available + inTrades + inWithdrawals
    done(
      'balances',
      `$${dollarsOf(available)} available + $${dollarsOf(inTrades)} in open trades + $${dollarsOf(inWithdrawals)} in withdrawals = $${dollarsOf(own)}, in ${countOf(entries, 'entry', 'entries')}`,
    )
    const roots = await Promise.all(entries.map((entry) => climb(account, entry, statement)))
    for (const { sum } of roots)
      must(
        sum === centsOf(statement.total),
        'path',
        `The sums lead to $${dollarsOf(sum)} instead of $${statement.total}`,
      )
    done('path', `$${dollarsOf(own)} is part of $${statement.total}`)
    for (const { hash } of roots)
      must(hexOf(hash) === statement.root, 'root', "Your balances or a sum isn't what the statement holds")
    done('root', `Root ${statement.root.slice(0, 16)}…`)
    return { ok: true, steps, proof }
  } catch (error) {
    if (!(error instanceof Failed)) throw error
    steps.push({ step: error.step, title: SOLVENCY_STEPS[error.step], ok: false, says: error.message })
    return { ok: false, steps, proof: undefined }
  }
}

const PARTS = ['available', 'open_trades', 'withdrawals']
const FIRST_STATEMENT = {
  number: isWhole,
  time: isWhole,
  accounts: isWhole,
  total: isMoney,
  root: isHex(32),
  previous: isHex(32),
  key: isHex(16),
  signature: isHex(64),
}
const { number, time, accounts, ...signed } = FIRST_STATEMENT
const SECOND_STATEMENT = { number, time, accounts, entries: isWhole, ...signed }
const { total, ...hashed } = signed
const STATEMENT = { number, time, accounts, entries: isWhole, total, equity: isSignedMoney, ...hashed }
const ENTRY = {
  nonce: isHex(32),
  balances: shaped({ available: isMoney, open_trades: isMoney, withdrawals: isMoney }),
  position: isWhole,
  path: listOf(shaped({ hash: isHex(32), sum: isMoney })),
}
const key = shaped({ id: isHex(16), public_key: isHex(32) })
const FIRST_PROOF = {
  type: oneOf('cleartick solvency proof'),
  version: oneOf(1),
  account: isText,
  ...ENTRY,
  statement: shaped(FIRST_STATEMENT),
  key,
}
const SECOND_PROOF = {
  type: oneOf('cleartick solvency proof'),
  version: oneOf(2),
  account: isText,
  entries: listOf(shaped(ENTRY)),
  statement: shaped(SECOND_STATEMENT),
  key,
}
const PROOF = { ...SECOND_PROOF, version: oneOf(3), statement: shaped(STATEMENT) }

/** The text that a statement's signature covers. In version 1 each trader had one entry; since version 3 it has the equity. */
export const statementText = ({ number, time, accounts, entries, total, equity, root, previous }) => {
  const version = entries === undefined ? 1 : equity === undefined ? 2 : 3
  const lines = [
    `cleartick solvency ${version}`,
    `number ${number}`,
    `time ${time}`,
    'currency USD',
    `accounts ${accounts}`,
    ...(version >= 2 ? [`entries ${entries}`] : []),
    `total ${total}`,
    ...(version >= 3 ? [`equity ${equity}`] : []),
    `root ${root}`,
    `previous ${previous}`,
  ]
  return `${lines.join('\n')}\n`
}

/** The bytes of a trader's entry. The nonce keeps anyone from guessing the account or the amounts behind its hash. */
export const entryText = (account, { nonce, balances: { available, open_trades, withdrawals } }) =>
  JSON.stringify({ account, nonce, available, open_trades, withdrawals })

const totalOf = (entries, part) => entries.reduce((sum, { balances }) => sum + centsOf(balances[part]), 0n)

/** Returns the root above an entry. Each node has a hash over its two children and their sums, and the total of those sums. */
async function climb(account, { position, path, ...entry }, { accounts, entries = accounts }) {
  let hash = await sha256(new Uint8Array([0]), new TextEncoder().encode(entryText(account, entry)))
  let sum = PARTS.reduce((total, part) => total + centsOf(entry.balances[part]), 0n)
  let place = position
  let width = entries
  const rest = [...path]
  must(place < width, 'path', 'The position is outside of the tree')
  while (width > 1) {
    // The last node of an odd level has no sibling and moves up unchanged.
    if (place !== width - 1 || width % 2 === 0) {
      const sibling = rest.shift()
      must(sibling !== undefined, 'path', 'The path to the top is too short')
      const [left, right] = place % 2 === 0 ? [{ hash, sum }, siblingOf(sibling)] : [siblingOf(sibling), { hash, sum }]
      hash = await sha256(new Uint8Array([1]), left.hash, wholeBytes(left.sum), right.hash, wholeBytes(right.sum))
      sum = left.sum + right.sum
    }
    place = Math.floor(place / 2)
    width = Math.ceil(width / 2)
  }
  must(rest.length === 0, 'path', 'The path to the top is too long')
  return { hash, sum }
}

const siblingOf = ({ hash, sum }) => ({ hash: bytesOf(hash), sum: centsOf(sum) })
const countOf = ({ length }, one, several) => (length === 1 ? `1 ${one}` : `${length} ${several}`)
const counted = (accounts) => (accounts === 1 ? '1 trader' : `${accounts} traders`)
