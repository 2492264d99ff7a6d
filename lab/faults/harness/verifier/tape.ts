import { type Db, sql } from '#server/platform/database/db.ts'
import type { Observer } from '../observer.ts'

/** Compares the tape with earlier observations: frames never change, and clients saw only what is stored. */
export async function tapeChanged(observer: Observer, db: Db): Promise<{ rewritten: string[]; unstored: string[] }> {
  const { rows } = await sql<{ n: bigint; hash: string }>`
    select n, encode(hash, 'hex') as hash from frames`.execute(db)
  const rewritten = rows.flatMap(({ n, hash }) => {
    const first = observer.frames.get(Number(n))
    return first === undefined || first === hash
      ? []
      : [`frame ${n} was ${first.slice(0, 8)} and is ${hash.slice(0, 8)}`]
  })
  const { rows: head } = await sql<{ number: bigint }>`select number from tape_head`.execute(db)
  const seen = Math.max(0, ...observer.frames.keys())
  if (Number(head[0]!.number) < seen) rewritten.push(`the tape ends at ${head[0]!.number}, and frame ${seen} was seen`)

  const shown = observer.takeShown()
  const { rows: missing } = await sql<{ symbol: string; source_ms: bigint; shown: string }>`
    select s.symbol, s.source_ms, s.price as shown
    from unnest(${shown.map((one) => one.symbol)}::text[], ${shown.map((one) => one.sourceMs)}::bigint[],
      ${shown.map((one) => one.price)}::text[]) as s(symbol, source_ms, price)
    join instruments i on i.symbol = s.symbol
    left join ticks k on k.symbol_id = i.id and k.source_ms = s.source_ms
    where s.source_ms > (select coalesce(min(source_ms), 0) from ticks)
      and k.price is distinct from (s.price::numeric * power(10::numeric, i.scale))::bigint
    limit 3`.execute(db)
  const unstored = missing.map(
    (one) => `${one.symbol} was shown at ${one.shown} for ${one.source_ms}, which isn't stored`,
  )
  return { rewritten, unstored }
}
