import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { atMost } from '../platform/at-most.ts'

/**
 * Passwords are stored as argon2id in the usual text format `$argon2id$v=19$m=...,t=...,p=...$salt$hash`, so that the
 * cost can be raised later without touching stored hashes. Hashing runs off the main thread and on only some of the
 * processors: a burst of sign-ins must not slow down trading.
 */
const COST = { memory: 19_456, passes: 2, parallelism: 1 } as const
const TAG_BYTES = 32

const run = atMost(Math.max(1, Math.floor(availableParallelism() / 2)), { waiting: 1_000, patienceMs: 10_000 })

/** Hashes a new password for storage. Throws `unavailable` when the queue is too long. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16)
  const tag = await derive(password, salt, COST)
  const { memory, passes, parallelism } = COST
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${base64(salt)}$${base64(tag)}`
}

/**
 * Verifies a password against the stored hash. Without a hash (unknown address) it takes just as long and returns
 * false.
 */
export async function verifyPassword(password: string, stored: string | undefined): Promise<boolean> {
  const match = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/.exec(
    stored ?? NOBODYS,
  )
  if (!match) throw new Error('a stored password cannot be read')
  const [, memory, passes, parallelism, salt, expected] = match
  const tag = await derive(password, Buffer.from(salt!, 'base64'), {
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
  })
  return timingSafeEqual(tag, Buffer.from(expected!, 'base64')) && stored !== undefined
}

function derive(
  password: string,
  salt: Buffer,
  cost: { memory: number; passes: number; parallelism: number },
): Promise<Buffer> {
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

const NOBODYS = `$argon2id$v=19$m=${COST.memory},t=${COST.passes},p=${COST.parallelism}$${base64(randomBytes(16))}$${base64(randomBytes(TAG_BYTES))}`
