import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
} from 'node:crypto'
import { join } from 'node:path'
import { keyText } from '#packages/verify/verify.js'
import { type Db, sql, type Tx } from '../../platform/database/db.ts'
import { keyFromText } from '../../platform/files/index.ts'
import { keepFile } from '../../platform/process/durable-file.ts'
import { StartProblem } from '../../platform/process/start-problem.ts'
import { tapeHead } from '../../prices/index.ts'

/** The key with which an engine signs checkpoints. It never leaves the engine. */
export interface ProofKey {
  /** The first 16 bytes of the public key's sha256, as hex. */
  id: string
  /** 32 bytes. */
  publicKey: Buffer
  sign(text: string): Buffer
}

/** The bytes before the 32 bytes of an Ed25519 key in PKCS #8. */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex')

/**
 * Opens this engine's key: the given one, else the one in `DATA_DIR/proof.key`, which the first start creates. Creates
 * a new key if the file is missing.
 */
export function openProofKey(dataDir: string, given?: string): ProofKey {
  if (given !== undefined) {
    const key = Buffer.concat([PKCS8, keyFromText(given)])
    return proofKey(createPrivateKey({ key, format: 'der', type: 'pkcs8' }))
  }
  return openFile(join(dataDir, 'proof.key'))
}

function openFile(file: string): ProofKey {
  const pem = keepFile(file, () =>
    String(generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' })),
  )
  let key: KeyObject
  try {
    key = createPrivateKey(pem)
  } catch {
    throw new StartProblem(`${file} is not a key. Restore it from a backup, or delete it to begin a new one.`)
  }
  if (key.asymmetricKeyType !== 'ed25519') throw new StartProblem(`${file} is not an Ed25519 key.`)
  return proofKey(key)
}

function proofKey(key: KeyObject): ProofKey {
  // An exported Ed25519 key ends with its 32 bytes.
  const publicKey = createPublicKey(key).export({ type: 'spki', format: 'der' }).subarray(-32)
  return { id: keyId(publicKey), publicKey, sign: (text) => sign(null, Buffer.from(text), key) }
}

export const keyId = (publicKey: Uint8Array): string =>
  createHash('sha256').update(publicKey).digest('hex').slice(0, 32)

/**
 * Publishes the public half of an installation's first key. A later key counts once it is signed by the outgoing one
 * (`succeed`), or once two admins have begun it; until then it waits. Returns whether the key counts.
 */
export async function publishKey(db: Db, { id, publicKey }: ProofKey): Promise<boolean> {
  await sql`
    insert into proof_keys (id, public_key)
    select ${id}, ${publicKey}::bytea where not exists (select from proof_keys) on conflict do nothing`.execute(db)
  const counts = await keyCounts(db, id)
  if (counts !== undefined) return counts
  await sql`
    insert into waiting_proof_keys (id, public_key) values (${id}, ${publicKey}) on conflict do nothing`.execute(db)
  return false
}

/** Whether a published key counts: false once it is revoked, undefined for a key that isn't published. */
export async function keyCounts(db: Db, id: string): Promise<boolean | undefined> {
  const { rows } = await sql<{ counts: boolean }>`
    select revoked_at is null as counts from proof_keys where id = ${id}`.execute(db)
  return rows[0]?.counts
}

/** Publishes a new key, signed by the outgoing one. Throws `StartProblem` if that one doesn't count. */
export async function succeed(db: Db, outgoing: ProofKey, next: ProofKey): Promise<ProofKey> {
  const text = keyText({ public_key: next.publicKey.toString('hex'), signed_by: outgoing.id })
  await sql`
    insert into proof_keys (id, public_key, signed_by, signature)
    select ${next.id}, ${next.publicKey}::bytea, id, ${outgoing.sign(text)}::bytea from proof_keys
    where id = ${outgoing.id} and revoked_at is null on conflict do nothing`.execute(db)
  // A command that was interrupted may have stored it before.
  const { rows } = await sql`
    select 1 from proof_keys where id = ${next.id} and signed_by = ${outgoing.id}`.execute(db)
  if (rows.length === 0)
    throw new StartProblem(
      `The key ${outgoing.id} can't sign a new one: it isn't published, or was revoked. See npm run proof -- keys. Without a key that counts, two admins begin a new one at the desk.`,
    )
  return next
}

/** A key with which an engine waits: it isn't published. */
export interface WaitingKey {
  id: string
  seenAt: Date
}

export async function waitingKeys(db: Db | Tx): Promise<WaitingKey[]> {
  const { rows } = await sql<WaitingKey>`
    select id, seen_at as "seenAt" from waiting_proof_keys w
    where not exists (select from proof_keys where id = w.id) order by seen_at desc limit 20`.execute(db)
  return rows
}

/** Without a checkpoint for this long, while the tape continues, no engine signs. */
const SILENT_MS = 600_000

/** Returns the key that was seen last, if it waits and no checkpoint has been signed since: receipts wait for it. */
export async function keyThatReceiptsWaitFor(db: Db): Promise<WaitingKey | undefined> {
  const [newest] = await waitingKeys(db)
  if (!newest) return undefined
  const { rows } = await sql<{ t: bigint }>`select t from checkpoints order by frame desc limit 1`.execute(db)
  const signedAt = Number(rows[0]?.t ?? 0)
  const { t } = await tapeHead(db)
  return signedAt < Math.max(newest.seenAt.getTime(), t - SILENT_MS) ? newest : undefined
}

/** Begins a waiting key that the one before hasn't signed. The database requires the approval of two admins. */
export async function beginKey(tx: Tx, id: string, reason: string): Promise<void> {
  await sql`
    insert into proof_keys (id, public_key, unsigned_reason)
    select id, public_key, ${reason} from waiting_proof_keys where id = ${id}
    on conflict do nothing`.execute(tx)
}

/**
 * Creates the file of the key that follows, or reads it if it's there: `PROOF_KEY` as hex if the outgoing key is that setting,
 * else what becomes `DATA_DIR/proof.key`.
 */
export function openNextKey(file: string, isSetting: boolean): ProofKey {
  if (!isSetting) return openFile(file)
  return openProofKey('', keepFile(file, () => `${randomBytes(32).toString('hex')}\n`).trim())
}
