import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { join } from 'node:path'
import { type Db, sql } from '../platform/database/db.ts'
import { keyFromText } from '../platform/files/index.ts'
import { keepFile } from '../platform/process/durable-file.ts'
import { StartProblem } from '../platform/process/start-problem.ts'

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
  const file = join(dataDir, 'proof.key')
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

/** Publishes the public half. */
export async function publishKey(db: Db, { id, publicKey }: ProofKey): Promise<void> {
  await sql`insert into proof_keys (id, public_key) values (${id}, ${publicKey}) on conflict do nothing`.execute(db)
}
