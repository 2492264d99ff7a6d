import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'react-router'
import {
  canSwitchOff,
  NOTICE_CHANNELS,
  type NoticeChannel,
  type NoticeKind,
  type NoticePreference,
} from '#contract/messages/notices.ts'
import { call, problemOf, queryClient, queryOf, useIsGuest, useRequest } from '#web/api/index.ts'
import { Card, ListError, SkeletonRows, toast } from '#web/ui/index.ts'
import styles from './preferences.module.css'

const QUERY = queryOf('GET /notices/preferences')

const CHANNELS: Record<NoticeChannel, string> = { in_app: 'In the app', email: 'E-mail', push: 'Push' }

/** In the order of the page. */
const KINDS: Partial<Record<NoticeKind, { name: string; about: string }>> = {
  alert: { name: 'Alerts', about: 'A price, move or indicator that you set an alert for.' },
  order: { name: 'Waiting orders', about: 'An order was placed at its price or time, or ended without a trade.' },
  'trade-ending': { name: 'Trade ends soon', about: 'A minute before the end of trades of 3 minutes and longer.' },
  'trade-settled': { name: 'Trade settled', about: 'Won, lost or returned, with the result.' },
  automatic: { name: 'Automatic trades', about: 'Stops, and the summary of the day.' },
  deposit: { name: 'Deposits', about: 'Each step until the money is in your balance.' },
  withdraw: { name: 'Withdrawals', about: 'Each step until the money is paid.' },
  trade: { name: 'Trade corrections', about: 'Void trades, complaints and their rulings.' },
  plan: { name: 'Plans', about: 'Purchases and decided requests.' },
  verification: { name: 'Verification', about: 'The result of your identity check.' },
  security: { name: 'Security', about: 'Sign-ins, passwords and second factors.' },
  account: { name: 'Account', about: 'Limits, breaks and changes to your account.' },
}
const ORDER = Object.keys(KINDS) as NoticeKind[]

/** Where notifications of each kind go. */
export function NoticePreferences() {
  const query = useQuery(QUERY)
  const problem = problemOf(query)
  const isGuest = useIsGuest()
  if (problem && !query.data) return <ListError {...problem} message="We couldn't load your choices." />
  if (!query.data) return <SkeletonRows rows={10} label="Loading your choices" />
  // Guests have no address.
  const channels = NOTICE_CHANNELS.filter((channel) => channel !== 'email' || !isGuest)
  const byKind = new Map(query.data.data.map((one) => [one.kind, one]))
  return (
    <Card>
      <table className={styles.table}>
        <caption className="visually-hidden">Where notifications of each kind go</caption>
        <thead>
          <tr>
            <th scope="col">Notification</th>
            {channels.map((channel) => (
              <th key={channel} scope="col" className={styles.channel}>
                {CHANNELS[channel]}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {ORDER.map((kind) => {
            const preference = byKind.get(kind)
            return preference && <Row key={kind} preference={preference} channels={channels} />
          })}
        </tbody>
      </table>
      <Notes isGuest={isGuest} />
    </Card>
  )
}

const Notes = ({ isGuest }: { isGuest: boolean }) => (
  <div className={styles.notes}>
    <p>
      The list in the app is your record, so it stays on for everything but trades.{' '}
      {!isGuest && "E-mails about security and withdrawals can't be switched off: they warn you if someone else acts."}
    </p>
    <p>Push messages go to the browsers in which you have turned them on.</p>
    <p>
      <Link to="/user/alerts">Your alerts</Link>
    </p>
  </div>
)

function Row({ preference, channels }: { preference: NoticePreference; channels: readonly NoticeChannel[] }) {
  const words = KINDS[preference.kind]
  // What was chosen shows at once.
  const [shown, setShown] = useState(preference)
  const { run } = useRequest((message) => {
    toast.error(message)
    setShown(preference)
  })
  const set = (channel: NoticeChannel, isOn: boolean) =>
    void run(async () => {
      setShown({ ...shown, [channel]: isOn })
      const { data } = await call('PATCH /notices/preferences', { body: { kind: preference.kind, channel, on: isOn } })
      queryClient.setQueryData(QUERY.queryKey, { status: true, data })
    })
  return (
    <tr>
      <th scope="row" className={styles.kind}>
        {words?.name}
        <span className={styles.about}>{words?.about}</span>
      </th>
      {channels.map((channel) => {
        const isFixed = shown[channel] && !canSwitchOff(preference.kind, channel)
        return (
          <td key={channel} className={styles.channel}>
            <label className={styles.choice}>
              <input
                type="checkbox"
                checked={shown[channel]}
                disabled={isFixed}
                aria-label={`${words?.name}: ${CHANNELS[channel]}${isFixed ? ', always on' : ''}`}
                title={isFixed ? 'Always on' : undefined}
                onChange={(event) => set(channel, event.target.checked)}
              />
              <span className={styles.word} aria-hidden>
                {CHANNELS[channel]}
              </span>
            </label>
          </td>
        )
      })}
    </tr>
  )
}
