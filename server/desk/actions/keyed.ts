import { type DeskCallName, deskCalls } from '#contract/desk/index.ts'
import type { Endpoint } from '#contract/endpoint.ts'
import { Problem } from '#contract/problem.ts'
import { keyOf, otherUse, type RequestKey } from '../../ledger/index.ts'
import type { Db } from '../../platform/database/db.ts'
import type { RequestInfo, WhoOperates } from '../../platform/http/index.ts'
import { oneByOne } from '../../platform/process/at-most.ts'
import type { Log } from '../../platform/process/log.ts'

interface DeskCall {
  who: WhoOperates
  request: Pick<RequestInfo, 'idempotencyKey' | 'fingerprint'>
}

/**
 * Makes the idempotent endpoints of the desk require an Idempotency-Key. The key is written in the transaction of the
 * action (`audited`), so a retry never applies it twice. The first response is stored with the key and replayed. A
 * rejected request frees the key.
 */
export function withKeys<Routes extends object>({ db, log }: { db: Db; log: Log }, routes: Routes): Routes {
  const inTurn = oneByOne()
  const wrapped = Object.entries(routes).map(([name, handler]) => {
    const row: Endpoint = deskCalls[name as DeskCallName]
    if (!row.idempotent) return [name, handler]
    return [
      name,
      (call: DeskCall) => {
        const key = keyOf(call.request)
        return key === undefined
          ? handler(call)
          : inTurn(`${call.who.operatorId}:${key.text}`, () => once(db, call, key, handler, log))
      },
    ]
  })
  return Object.fromEntries(wrapped) as Routes
}

async function once(db: Db, call: DeskCall, key: RequestKey, handler: (call: DeskCall) => Promise<object>, log: Log) {
  const { operatorId } = call.who
  const stored = await db
    .selectFrom('operator_request_keys')
    .select(['fingerprint', 'answer'])
    .where('operator_id', '=', operatorId)
    .where('key', '=', key.text)
    .executeTakeFirst()
  if (stored) {
    if (!stored.fingerprint.equals(key.fingerprint)) throw otherUse()
    if (stored.answer === null)
      throw new Problem('wrong_state', 'This has already been done. Reload to see the result.')
    return stored.answer as object
  }
  const answer = await handler({ ...call, who: { ...call.who, key } as WhoOperates })
  await db
    .updateTable('operator_request_keys')
    .set({ answer: JSON.stringify(answer) })
    .where('operator_id', '=', operatorId)
    .where('key', '=', key.text)
    .execute()
    // The action is committed, so its response leaves all the same; only a retry can't be given it again.
    .catch((error: unknown) => log.warn({ error: String(error) }, "a desk action's response was not stored"))
  return answer
}
