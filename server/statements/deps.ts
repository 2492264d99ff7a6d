import type { Db } from '../platform/database/db.ts'
import type { DetailDeps } from './details.ts'
import type { StatementSlots } from './statement-stream.ts'

/** The dependencies of this room. `web.ts` provides them. */
export interface StatementsDeps extends DetailDeps {
  db: Db
  brand: string
  /** Limits how many statements are generated at once. */
  slots: StatementSlots
}
