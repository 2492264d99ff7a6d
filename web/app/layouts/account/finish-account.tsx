import { useQuery } from '@tanstack/react-query'
import { ListChecks } from 'lucide-react'
import { Link, useLocation } from 'react-router'
import type { User } from '#contract/account/user.ts'
import { queryOf, useMode, useUser } from '#web/api/index.ts'
import styles from './finish-account.module.css'

const CHECK = queryOf('GET /profile/user-verification')
/** Screens that already show the same. */
const SHOWN_THERE = ['/user/edit-profile', '/user/verify']

const PROFILE = ['gender', 'date_of_birth', 'address', 'city', 'state', 'country'] as const
const isProfileComplete = (user: User): boolean => PROFILE.every((field) => user[field] !== '')

/**
 * In live mode, sends a trader with an unfinished sign-up to the missing step: the profile, then the ID. The demo needs
 * neither.
 */
export function FinishAccount() {
  const isLive = useMode() === 'real'
  return isLive ? <Missing /> : null
}

function Missing() {
  const user = useUser()
  const { pathname } = useLocation()
  const check = useQuery(CHECK)
  if (!check.isSuccess || SHOWN_THERE.includes(pathname)) return null
  const needsProfile = !isProfileComplete(user)
  const record = check.data.data
  const needsId = record === null || record.status === 'Rejected'
  if (!needsProfile && !needsId) return null
  return (
    <aside className={styles.strip} data-strip aria-label="Finish setting up your account">
      <ListChecks aria-hidden />
      <span>Finish setting up:</span>
      {needsProfile && <Link to="/user/edit-profile">Complete your profile</Link>}
      {needsId && <Link to="/user/verify">Upload your ID</Link>}
    </aside>
  )
}
