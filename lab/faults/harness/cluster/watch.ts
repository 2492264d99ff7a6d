import { setTimeout as sleep } from 'node:timers/promises'
import { WebSocket } from 'ws'
import { type Db, sql } from '#server/platform/database/db.ts'
import type { PostgresServer } from '#tests/support/servers/standby.ts'
import { createStream } from '#web/client/stream.ts'
import type { Socket } from '#web/client/stream-connection.ts'

/** Makes the database record each append with its session: the session that appends is the leader. */
const NOTE_APPENDS = `
  create schema harness;
  create table harness.appends (
    n bigint not null, session int not null, name text not null, leads boolean not null,
    at timestamptz not null default clock_timestamp()
  );
  create function harness.note() returns trigger language plpgsql security definer as $$
    begin
      insert into harness.appends (n, session, name, leads)
      select new.number, pg_backend_pid(), current_setting('application_name'), exists (
        select from pg_locks where pid = pg_backend_pid() and locktype = 'advisory' and objid = 7301 and granted);
      return null;
    end $$;
  create trigger note after update of number on tape_head for each row execute function harness.note()`

export const noteAppends = async (primary: Pick<PostgresServer, 'ask'>): Promise<void> =>
  void (await primary.ask(NOTE_APPENDS))

/** The process and the session of a leader. */
export interface Leadership {
  pid: number
  session: number
}

/** Returns the holders of the tape's lock on a server. */
export async function leadersOn(server: PostgresServer): Promise<Leadership[]> {
  const rows = await server.ask<{ pid: number; name: string }>(
    `select a.pid, a.application_name as name from pg_locks l join pg_stat_activity a using (pid)
     where l.locktype = 'advisory' and l.objid = 7301 and l.granted`,
  )
  return rows.map(({ pid, name }) => ({ session: pid, pid: processIn(name) }))
}

const processIn = (name: string) => Number(/^cleartick tape (\d+) on /.exec(name)?.[1])

/** Returns appends by sessions that didn't hold the lock, and by two processes that alternated without a pause. */
export async function wrongAppends(db: Db, from: number): Promise<string[]> {
  const { rows } = await sql<{ n: bigint; name: string; times: bigint; leads: boolean }>`
    select n, min(name) as name, count(*) as times, bool_and(leads) as leads from harness.appends
    where at >= to_timestamp(${from / 1_000}) group by n having count(*) > 1 or not bool_and(leads) order by n limit 5`.execute(
    db,
  )
  return rows.map(({ n, name, times, leads }) =>
    leads ? `frame ${n} was appended ${times} times` : `${name} appended frame ${n} without the lock`,
  )
}

/** Returns a session's appends since a time. */
export async function appendsOf(db: Db, session: number, since: number): Promise<bigint[]> {
  const { rows } = await sql<{ n: bigint }>`
    select n from harness.appends where session = ${session} and at >= to_timestamp(${since / 1_000}) order by n`.execute(
    db,
  )
  return rows.map(({ n }) => n)
}

/** Returns the longest times without a frame and without an accepted order since `from`, in ms. */
export async function longestGaps(db: Db, from: number): Promise<Record<string, number>> {
  const { rows } = await sql<{ frames: number; orders: number }>`
    select
      (select max(ms) from (
        select extract(epoch from at - lag(at) over (order by at)) * 1000 as ms from harness.appends
        where at >= to_timestamp(${from / 1_000})) gaps)::float8 as frames,
      (select max(ms) from (
        select trade_time - lag(trade_time) over (order by trade_time) as ms from trades
        where trade_time >= ${Math.floor(from)}) gaps)::float8 as orders`.execute(db)
  return { 'no frame for': rows[0]!.frames ?? 0, 'no order accepted for': rows[0]!.orders ?? 0 }
}

/** Browser tabs: several instances of the product's own stream client. */
interface Tabs {
  /** Waits until each tab has received a new frame. Returns how long that took, and how many tabs received none. */
  receive(withinMs: number): Promise<{ tookMs: number; stuck: number }>
  stop(): void
}

export function openTabs(origin: string, count: number): Tabs {
  const tabs = Array.from({ length: count }, () => {
    const tab = { frames: 0, stop(): void {} }
    const stream = createStream({
      connect() {
        const socket = new WebSocket(`${origin.replace('http', 'ws')}/api/stream`)
        socket.on('error', () => undefined)
        return socket as unknown as Socket
      },
      token: async () => undefined,
      onSessionEnded: () => undefined,
    })
    tab.stop = stream.subscribe(['*'], () => {
      tab.frames++
    })
    return tab
  })
  return {
    async receive(withinMs) {
      const before = tabs.map(({ frames }) => frames)
      const began = performance.now()
      const stuck = () => tabs.filter(({ frames }, at) => frames === before[at]).length
      while (stuck() > 0 && performance.now() - began < withinMs) await sleep(20)
      return { tookMs: performance.now() - began, stuck: stuck() }
    },
    stop() {
      for (const { stop } of tabs) stop()
    },
  }
}
