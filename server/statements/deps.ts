import type { Db } from '../platform/database/db.ts'
import type { RequestInfo, Who } from '../platform/http/index.ts'
import type { DetailDeps } from './details.ts'
import type { StartStream } from './statement-stream.ts'

/** The dependencies of this room. `web.ts` provides them. */
export interface StatementsDeps extends DetailDeps {
  db: Db
  brand: string
  /** Limits how many statements are generated at once. */
  startStream: StartStream
  /** Throws unless the trader gave their password, and their second factor if they have one. */
  confirmOwner(who: Who, password: string, request: RequestInfo): Promise<void>
}
