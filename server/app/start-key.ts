import { sealedBanks } from '../cashier/index.ts'
import type { Config } from '../config/config.ts'
import { sealedOperatorSecrets } from '../desk/index.ts'
import { sealedTotpSecrets } from '../identity/index.ts'
import type { Db } from '../platform/database/db.ts'
import { existingFilesKey, filesKey } from '../platform/files/index.ts'

/** Every column that is sealed with the installation's key. */
export const sealedColumns = (db: Db) => [...sealedTotpSecrets(db), ...sealedOperatorSecrets(db), ...sealedBanks(db)]

/**
 * Returns the installation's key, which a first start creates. Throws `StartProblem` if the key is missing while values
 * are sealed with it: what another one would seal could not be read once the right key is back.
 */
export async function startKey({ dataDir, FILES_KEY }: Pick<Config, 'dataDir' | 'FILES_KEY'>, db: Db): Promise<Buffer> {
  const firsts = await Promise.all(sealedColumns(db).map((column) => column.page(-1n, 1)))
  return (firsts.flat().length > 0 ? existingFilesKey : filesKey)(dataDir, FILES_KEY)
}
