import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { must } from '#kernel/must.ts'
import { atMost } from '../../platform/process/at-most.ts'
import { rejectCommonPassword } from './common-passwords.ts'

/** Judges, hashes and verifies passwords. */
export interface Passwords {
  /**
   * Rejects a new password that attackers try first: a common one, or one made of these words (`validation_failed`).
   * Where common passwords are allowed, it accepts all.
   */
  rejectCommon(password: string, words: readonly string[]): Promise<void>
  /** Hashes a new password for storage. Throws `unavailable` when the queue is too long. */
  hash(password: string): Promise<string>
  /**
   * Verifies a password against the stored hash. Without a hash (unknown address) it takes just as long and returns
   * false.
   */
  verify(password: string, stored: string | undefined): Promise<boolean>
}

/** `memory` is in KiB. */
export interface PasswordCost {
  memory: number
  passes: number
  parallelism: number
}

const COST: PasswordCost = { memory: 19_456, passes: 2, parallelism: 1 }
const TAG_BYTES = 32

const run = atMost(Math.max(1, Math.floor(availableParallelism() / 2)), { waiting: 1_000, patienceMs: 10_000 })

/**
 * Passwords are stored as argon2id in the usual text format `$argon2id$v=19$m=...,t=...,p=...$salt$hash`, so that the
 * cost can be raised later without touching stored hashes. Hashing runs off the main thread and on only some of the
 * processors: a burst of sign-ins must not slow down trading.
 */
export function openPasswords(cost: PasswordCost = COST, { allowCommon = false } = {}): Passwords {
  const settings = `$argon2id$v=19$m=${cost.memory},t=${cost.passes},p=${cost.parallelism}$`
  const nobodys = `${settings}${base64(randomBytes(16))}$${base64(randomBytes(TAG_BYTES))}`
  return {
    async rejectCommon(password, words) {
      if (!allowCommon) await rejectCommonPassword(password, words)
    },
    async hash(password) {
      const salt = randomBytes(16)
      return `${settings}${base64(salt)}$${base64(await derive(password, salt, cost))}`
    },
    async verify(password, stored) {
      const match = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/.exec(
        stored ?? nobodys,
      )
      if (!match) throw new Error('a stored password cannot be read')
      const [, memory, passes, parallelism, salt, expected] = match
      const tag = await derive(password, Buffer.from(must(salt), 'base64'), {
        memory: Number(memory),
        passes: Number(passes),
        parallelism: Number(parallelism),
      })
      return timingSafeEqual(tag, Buffer.from(must(expected), 'base64')) && stored !== undefined
    },
  }
}

function derive(password: string, salt: Buffer, cost: PasswordCost): Promise<Buffer> {
  // The same characters may arrive composed differently from another keyboard.
  const message = password.normalize('NFKC')
  return run(
    () =>
      new Promise((resolve, reject) => {
        argon2('argon2id', { message, nonce: salt, tagLength: TAG_BYTES, ...cost }, (error, tag) =>
          error ? reject(error) : resolve(tag),
        )
      }),
  )
}

const base64 = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '')
