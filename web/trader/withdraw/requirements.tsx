import { ArrowRight, Check, Circle } from 'lucide-react'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { call, useRequest, useUser } from '#web/api/index.ts'
import { Button, buttonClass, Card, cx, toast } from '#web/ui/index.ts'
import { type Need, needsOf } from './needs.ts'
import styles from './requirements.module.css'
import { useRequirements } from './use-requirements.ts'

interface RequirementsProps {
  title: string
  /** The button that resends the confirmation link. */
  sendLink: ReactNode
}

/** The missing requirements of a withdrawal, with links to complete them; renders nothing if none is missing. */
export function Requirements({ title, sendLink }: RequirementsProps) {
  const requirements = useRequirements()
  const { email_verified } = useUser()
  if (!requirements || requirements.possible) return null
  const needs = needsOf({ ...requirements, email_verified: requirements.email_verified || email_verified })
  if (needs.every((need) => need.done)) return null
  return (
    <Card title={title}>
      <ul className={styles.needs}>
        {needs.map((need) => (
          <li key={need.kind} className={cx(styles.need, need.done && styles.done)}>
            <span className={styles.mark} aria-hidden>
              {need.done ? <Check /> : <Circle />}
            </span>
            <div className={styles.words}>
              <h3 className={styles.title}>
                {need.title}
                <span className="visually-hidden">{need.done ? ', done' : ', missing'}</span>
              </h3>
              <p className={styles.text}>{need.text}</p>
            </div>
            {!need.done && <Way need={need} isPending={requirements.identity === 'Pending'} sendLink={sendLink} />}
          </li>
        ))}
      </ul>
    </Card>
  )
}

function Way({ need, isPending, sendLink }: { need: Need; isPending: boolean; sendLink: ReactNode }) {
  if (need.kind === 'email') return sendLink
  if (need.kind === 'pause') return need.title.startsWith('Wait') ? null : <SendReset />
  if (need.kind === 'unlocked' || need.kind === 'debt') return null
  return (
    <Link to="/user/verify" className={buttonClass({ look: 'secondary', size: 'small' })}>
      {isPending ? 'See my ID' : 'Verify identity'}
      <ArrowRight aria-hidden />
    </Link>
  )
}

/** E-mails the trader a link to set a new password, which ends a freeze of their withdrawals. */
function SendReset() {
  const { email } = useUser()
  const { loading, run } = useRequest(toast.error)
  const send = () =>
    void run(async () => {
      toast.success((await call('GET /auth/reset-password', { query: { email } })).message)
    })
  return (
    <Button look="secondary" size="small" loading={loading} onClick={send}>
      Send link
    </Button>
  )
}
