import { z } from 'zod/mini'
import { StartProblem } from '#server/platform/process/start-problem.ts'
import { openEnvelope } from './envelope.ts'
import type { Place } from './parts.ts'
import type { Target } from './target.ts'

/** Raised when a backup's content changes in a way that older code can't read. */
const FORMAT = 1

/** Describes a backup. It's written last: a backup without it is incomplete and never used. */
const Manifest = z.strictObject({
  id: z.string(),
  /** By the database's clock. */
  startedAt: z.string(),
  finishedAt: z.string(),
  /** The backup that this one continues; null for a full one. */
  parent: z.nullable(z.string()),
  database: z.strictObject({
    /** `embedded`: the built-in PostgreSQL; `external`: the operator's. */
    kind: z.enum(['embedded', 'external']),
    name: z.string(),
    owner: z.string(),
    superuser: z.string(),
    systemId: z.string(),
    version: z.string(),
    startLsn: z.string(),
    endLsn: z.string(),
    timeline: z.number(),
    migrations: z.array(z.string()),
    parts: z.number(),
    manifestParts: z.number(),
    bytes: z.number(),
  }),
  /** Private files; null if they were left out. */
  files: z.nullable(
    z.strictObject({
      /** All that existed, including those that earlier backups of the chain hold. */
      names: z.array(z.string()),
      parts: z.number(),
    }),
  ),
  filesKey: z.strictObject({
    fingerprint: z.string(),
    /** The content of files.key; null if the operator keeps the key as FILES_KEY. */
    content: z.nullable(z.string()),
  }),
  /** Bytes in storage, without this manifest. */
  stored: z.number(),
})
export type Manifest = z.infer<typeof Manifest>

const NAME = 'manifest'
const ID = /^\d{8}T\d{9}Z-[0-9a-f]{16}$/

/** Returns when a backup was begun, in Unix ms. */
export const backupTime = (id: string): number =>
  Date.parse(id.replace(/^(....)(..)(..)T(..)(..)(..)(...)Z-.*$/, '$1-$2-$3T$4:$5:$6.$7Z'))

export function placeOf(target: Target, key: Buffer, id: string): Place {
  return { id, target, envelope: openEnvelope(key, id) }
}

export async function writeManifest({ id, target, envelope }: Place, manifest: Manifest): Promise<void> {
  const bytes = Buffer.from(JSON.stringify({ format: FORMAT, ...manifest }))
  await target.write(`${id}/${NAME}`, envelope.seal(NAME, bytes))
}

/** Throws `StartProblem` if there is no such complete backup, or it's damaged, or newer code wrote it. */
export async function readManifest({ id, target, envelope }: Place): Promise<Manifest> {
  const sealed = await target.read(`${id}/${NAME}`)
  if (sealed === undefined) {
    throw new StartProblem(`There is no complete backup ${id}. See npm run backup -- list.`)
  }
  const { format, ...rest } = JSON.parse(envelope.open(NAME, sealed).toString('utf8')) as { format: number }
  if (format !== FORMAT) {
    throw new StartProblem(`A newer version of Cleartick made backup ${id}. Restore it with that version.`)
  }
  return Manifest.parse(rest)
}

/** The stored backups, oldest first. */
interface Listed {
  complete: string[]
  /** Interrupted, or being written. */
  incomplete: string[]
}

export async function listBackups(target: Target): Promise<Listed> {
  const complete = new Set<string>()
  const all = new Set<string>()
  for (const name of await target.list('')) {
    const [id = '', object] = name.split('/')
    if (!ID.test(id)) continue
    all.add(id)
    if (object === NAME) complete.add(id)
  }
  return {
    complete: [...complete].sort(),
    incomplete: [...all].filter((id) => !complete.has(id)).sort(),
  }
}

/** Returns the backups that restore this one: a full one first, then each that continues it. */
export async function readChain(target: Target, key: Buffer, id: string): Promise<Manifest[]> {
  const chain: Manifest[] = []
  for (let next: string | null = id; next !== null; ) {
    const manifest: Manifest = await readManifest(placeOf(target, key, next))
    chain.unshift(manifest)
    next = manifest.parent
  }
  return chain
}

/** Removes a backup, its manifest first, so that what is left never looks complete. */
export async function removeBackup(target: Target, id: string): Promise<void> {
  await target.remove(`${id}/${NAME}`)
  for (const name of await target.list(`${id}/`)) await target.remove(name)
}
