import type { PriceListDocument, PriceListVersion } from '#contract/trading/offers.ts'
import { type Db, sql, type Tx } from '../platform/database/db.ts'

interface VersionRow {
  version: number
  document: PriceListDocument
  from_ms: bigint
}

const versionOf = ({ version, document, from_ms }: VersionRow): PriceListVersion => ({
  version,
  document,
  fromMs: Number(from_ms),
})

/** Orders are judged by the versions of this time. Only a node that hears of nothing for longer needs older ones. */
const KEPT = 5

/** Returns the newest versions, oldest first. */
export async function newestVersions(db: Db | Tx): Promise<PriceListVersion[]> {
  const { rows } = await sql<VersionRow>`
    select version, document, from_ms from price_list_versions order by version desc limit ${KEPT}`.execute(db)
  return rows.map(versionOf).reverse()
}

/** Returns one version; undefined if there is none. */
export async function versionNumbered(db: Db | Tx, version: number): Promise<PriceListVersion | undefined> {
  const { rows } = await sql<VersionRow>`
    select version, document, from_ms from price_list_versions where version = ${version}`.execute(db)
  return rows.map(versionOf)[0]
}

/** Returns the numbers of the newest versions and when they began, newest first. */
export async function versionHistory(db: Db, limit: number): Promise<Pick<PriceListVersion, 'version' | 'fromMs'>[]> {
  const { rows } = await sql<{ version: number; from_ms: bigint }>`
    select version, from_ms from price_list_versions order by version desc limit ${limit}`.execute(db)
  return rows.map(({ version, from_ms }) => ({ version, fromMs: Number(from_ms) }))
}

/**
 * Adds the version that a proposal says, and returns it. The database accepts it only with the approved proposal in the
 * same transaction, and with what the second operator says about an edge if its dry run found one.
 */
export async function addVersion(
  tx: Tx,
  {
    document,
    proposalId,
    acknowledged,
  }: { document: PriceListDocument; proposalId: bigint; acknowledged: string | null },
): Promise<PriceListVersion> {
  const { rows } = await sql<VersionRow>`
    insert into price_list_versions (document, proposal_id, acknowledged)
    values (${JSON.stringify(document)}, ${proposalId}, ${acknowledged?.toWellFormed() ?? null})
    returning version, document, from_ms`.execute(tx)
  return rows.map(versionOf)[0] as PriceListVersion
}
