import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Monitor } from 'lucide-react'
import type { Session } from '#contract/account/auth.ts'
import { call, problemOf, queryOf, useRequest } from '#web/api/index.ts'
import { Badge, Button, formatDateTime, ListError, SkeletonRows, toast } from '#web/ui/index.ts'
import styles from './sessions.module.css'

const LIST = queryOf('GET /auth/sessions')

/** The account's active sessions; all but this one can be revoked, one by one or at once. */
export function Sessions() {
  const list = useQuery(LIST)
  const client = useQueryClient()
  const { loading, run } = useRequest(toast.error)

  const end = (request: () => Promise<{ message: string }>) =>
    void run(async () => {
      toast.success((await request()).message)
      await client.invalidateQueries({ queryKey: LIST.queryKey })
    })

  const problem = problemOf(list)
  if (!list.data) {
    return problem ? <ListError {...problem} /> : <SkeletonRows rows={3} label="Loading your sessions" />
  }
  const sessions = list.data.data
  return (
    <>
      <ul className={styles.list}>
        {sessions.map((session) => (
          <SessionRow
            key={session.id}
            session={session}
            busy={loading}
            onEnd={() => end(() => call('DELETE /auth/sessions/:id', { params: { id: session.id } }))}
          />
        ))}
      </ul>
      {sessions.length > 1 && (
        <Button look="danger" loading={loading} onClick={() => end(() => call('DELETE /auth/sessions'))}>
          End all other sessions
        </Button>
      )}
    </>
  )
}

function SessionRow({ session, busy, onEnd }: { session: Session; busy: boolean; onEnd: () => void }) {
  return (
    <li className={styles.session}>
      <Monitor className={styles.icon} aria-hidden />
      <div className={styles.words}>
        <p className={styles.device}>
          {session.device} {session.current && <Badge tone="accent">This device</Badge>}
        </p>
        <p className={styles.detail}>
          {session.address}, last seen <span className={styles.when}>{formatDateTime(session.last_seen_at)}</span>
        </p>
      </div>
      {!session.current && (
        <Button look="secondary" size="small" disabled={busy} onClick={onEnd} aria-label={`End ${session.device}`}>
          End
        </Button>
      )}
    </li>
  )
}
