/** Shared by the checks of receipts and proofs: the form of a file, keys, bytes and money. */

export class Failed extends Error {
  constructor(step, message) {
    super(message)
    this.step = step
  }
}

export function must(condition, step, message) {
  if (!condition) throw new Failed(step, message)
}

/* Form: every field has the right type, in a fixed order, and there are no others. */

export const isText = (value) => typeof value === 'string'
export const isWhole = (value) => Number.isSafeInteger(value) && value >= 0
export const isHex = (bytes) => (value) => isText(value) && value.length === bytes * 2 && /^[0-9a-f]*$/.test(value)
export const isMoney = (value) => isText(value) && /^(0|[1-9]\d{0,14})\.\d\d$/.test(value)
/** Money that may be owed: below zero too. */
export const isSignedMoney = (value) => isText(value) && isMoney(value.replace(/^-(?!0\.00$)/, ''))
export const oneOf =
  (...values) =>
  (value) =>
    values.includes(value)
export const listOf = (check) => (value) => Array.isArray(value) && value.every(check)
export const shaped = (shape) => (value) => inShape(value, shape) !== undefined
export const orNull = (check) => (value) => value === null || check(value)

/** Returns the object if it has exactly these fields, in this order. */
function inShape(value, shape) {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  const names = Object.keys(shape)
  const given = Object.keys(value)
  const fits = given.length === names.length && names.every((name, i) => given[i] === name && shape[name](value[name]))
  return fits ? value : undefined
}

/** Returns the content of a file that has exactly the fields of the shape of its version: the first is the oldest. */
export function readForm(text, ...shapes) {
  let value
  try {
    value = JSON.parse(text)
  } catch {
    throw new Failed('form', "The file isn't JSON")
  }
  const shape = shapes[value?.version - 1] ?? shapes[0]
  for (const [name, check] of Object.entries(shape)) {
    must(
      typeof value === 'object' && value !== null && Object.hasOwn(value, name),
      'form',
      `The part '${name}' is missing`,
    )
    must(check(value[name]), 'form', `The part '${name}' is not in order`)
  }
  must(inShape(value, shape), 'form', "The file has parts that don't belong there")
  // The same content always has the same text, so nothing can be added or rewritten unnoticed.
  must(JSON.stringify(value) === text, 'form', 'The file is spelled differently from what the platform writes')
  return value
}

/* Keys. */

/** Returns a key, ready to check signatures with. `published`: the keys that count; without them, every key does. */
export async function importKey({ id, public_key }, published) {
  const raw = bytesOf(public_key)
  must(hexOf(await sha256(raw)).slice(0, 32) === id, 'keys', `Key ${id} has another fingerprint`)
  const isTrusted = !published || published.some((one) => one.id === id && one.revoked_at === undefined)
  must(isTrusted, 'keys', `The platform doesn't publish the key ${id}, or has revoked it`)
  try {
    return await crypto.subtle.importKey('raw', raw, { name: 'Ed25519' }, false, ['verify'])
  } catch (error) {
    if (error.name === 'NotSupportedError')
      throw new Failed('keys', "This browser can't check Ed25519 signatures. Use a newer one.")
    throw new Failed('keys', `Key ${id} is not a key`)
  }
}

/** What the outgoing key signs of a new one. */
export const keyText = ({ public_key, signed_by }) => `cleartick key 1\nkey ${public_key}\nafter ${signed_by}\n`

/** Returns the keys that count: the published ones, and those newer ones that they lead to by signatures. */
export async function checkPublished(copy, newer) {
  const keys = new Map(copy.map((key) => [key.id, { ...newer.find(({ id }) => id === key.id), ...key }]))
  for (const key of keys.values())
    must(
      key.signed_by === undefined || !keys.has(key.signed_by) || (await isIntroduced(key, keys)),
      'keys',
      `The key ${key.id} isn't signed by ${key.signed_by}, as the platform says`,
    )
  for (let before = -1; before < keys.size; ) {
    before = keys.size
    for (const key of newer) if (!keys.has(key.id) && (await isIntroduced(key, keys))) keys.set(key.id, key)
  }
  return [...keys.values()]
}

/** Whether the key before has signed this one. */
async function isIntroduced(key, keys) {
  const outgoing = keys.get(key.signed_by)
  if (outgoing?.public_key === undefined || !isHex(64)(key.signature) || !isHex(32)(key.public_key)) return false
  return isSigned(await importKey(outgoing), key.signature, keyText(key))
}

export const keyWords = ({ id, signed_by, unsigned_reason }) => {
  if (signed_by !== undefined) return `${id}, signed by ${signed_by}`
  return unsigned_reason === undefined
    ? id
    : `${id}, begun without the signature of an earlier key (${unsigned_reason})`
}

export const isSigned = (key, signature, text) =>
  crypto.subtle.verify('Ed25519', key, bytesOf(signature), new TextEncoder().encode(text))

/* Bytes and numbers. */

export async function sha256(...parts) {
  const length = parts.reduce((sum, part) => sum + part.length, 0)
  const all = new Uint8Array(length)
  let at = 0
  for (const part of parts) {
    all.set(part, at)
    at += part.length
  }
  return new Uint8Array(await crypto.subtle.digest('SHA-256', all))
}

export function wholeBytes(value) {
  const bytes = new Uint8Array(8)
  new DataView(bytes.buffer).setBigUint64(0, BigInt(value))
  return bytes
}

export const bytesOf = (hex) =>
  Uint8Array.from({ length: hex.length / 2 }, (_, i) => Number.parseInt(hex.slice(2 * i, 2 * i + 2), 16))
export const hexOf = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
export const centsOf = (text) => BigInt(text.replace('.', ''))
export const dollarsOf = (cents) => `${cents / 100n}.${String(cents % 100n).padStart(2, '0')}`

export const clock = (ms) => `${new Date(ms).toISOString().slice(0, 23).replace('T', ' ')} UTC`
