import { useQuery } from '@tanstack/react-query'
import { LogOut, Menu, Moon, Siren, Sun, X } from 'lucide-react'
import { Suspense, useEffect, useState } from 'react'
import { Link, NavLink, Outlet, useLocation, useNavigate } from 'react-router'
import type { DeskLever } from '#contract/desk/markets/levers.ts'
import { QUEUES, type Queue } from '#contract/desk/terms.ts'
import { BrandMark, Button, cx, formatDateTime, SkeletonRows } from '#web/ui/index.ts'
import { call, OFTEN_MS, queryClient, queryOf } from '../api.ts'
import { leverName } from '../parts/lever-name.ts'
import { sumOf, usePending, useRoles } from '../queues/pending.ts'
import { useKeys } from '../queues/screen/use-keys.ts'
import { signOutHere, useSession } from '../session.ts'
import styles from './frame.module.css'
import { PLACES, type Place } from './places.ts'
import { chooseTheme, storedTheme } from './theme.ts'

/** The desk's layout: navigation with queue counts on the left, the current page next to it. */
export function Frame() {
  const [menuOpen, setMenuOpen] = useState(false)
  const { pathname } = useLocation()
  // biome-ignore lint/correctness/useExhaustiveDependencies: a change of page closes the menu
  useEffect(() => setMenuOpen(false), [pathname])
  const navigate = useNavigate()
  useKeys({ '/': () => focusSearch() || navigate('/users') })
  return (
    <div className={styles.frame}>
      <a className={styles.skip} href="#work">
        Skip to content
      </a>
      <header className={styles.bar}>
        <Button look="quiet" icon aria-label="Menu" aria-expanded={menuOpen} onClick={() => setMenuOpen(!menuOpen)}>
          {menuOpen ? <X aria-hidden /> : <Menu aria-hidden />}
        </Button>
        <span className={styles.brand}>
          <BrandMark /> Desk
        </span>
      </header>
      <aside className={cx(styles.side, menuOpen && styles.open)}>
        <p className={styles.brand}>
          <BrandMark /> Desk
        </p>
        <Places />
        <Who />
      </aside>
      <main id="work" className={styles.work} tabIndex={-1}>
        <Stopped />
        <Suspense fallback={<SkeletonRows rows={6} label="Loading the page" />}>
          <Outlet />
        </Suspense>
      </main>
    </div>
  )
}

/** Puts the focus into the search, if the page has it. The page of users opens with the focus in it. */
function focusSearch(): boolean {
  const field = document.querySelector<HTMLInputElement>('input[name=q]')
  field?.select()
  return field !== null
}

/** Says on every page what is stopped. */
function Stopped() {
  const levers = useQuery(queryOf('GET /desk/levers', undefined, OFTEN_MS)).data?.data ?? []
  return (
    <div role="status">
      {levers.length > 0 && (
        <p className={styles.stopped}>
          <Siren aria-hidden />
          <span>
            {levers.map(sentenceOf).join('. ')}. <Link to="/emergency">Emergency</Link>
          </span>
        </p>
      )}
    </div>
  )
}

/** `Maintenance notice since …: the words that traders read`, without the full stop. */
const sentenceOf = (lever: DeskLever) =>
  [
    `${leverName(lever)} since ${formatDateTime(lever.pulled_at)}`,
    ...(lever.notice === null ? [] : [lever.notice.replace(/\.$/, '')]),
  ].join(': ')

function Places() {
  const pending = usePending()
  const roles = useRoles()
  const { pathname } = useLocation()
  const queue = QUEUES[pathname.split('/')[1] as Queue]
  const counts = { claimed: sumOf(pending, 'waiting'), proposed: sumOf(pending, 'second') }
  const sees = ({ roles: needed }: Place) => !needed || needed.some((role) => roles.includes(role))
  return (
    <nav aria-label="Desk" className={styles.places}>
      {PLACES.map(({ group, places }) => {
        const seen = places.filter(sees)
        if (seen.length === 0) return null
        return (
          <div key={group}>
            {group && <p className={styles.group}>{group}</p>}
            <ul>
              {seen.map(({ path, name, icon: Icon, queues }) => (
                <li key={path}>
                  <NavLink
                    to={path}
                    end={path === '/'}
                    className={({ isActive }) =>
                      cx(styles.place, (isActive || (queues && queue?.work === queues)) && styles.here)
                    }
                  >
                    <Icon aria-hidden />
                    <span>{name}</span>
                    {queues && counts[queues] > 0 && (
                      <span className={styles.count}>
                        {counts[queues]}
                        <span className="visually-hidden"> pending</span>
                      </span>
                    )}
                  </NavLink>
                </li>
              ))}
            </ul>
          </div>
        )
      })}
    </nav>
  )
}

function Who() {
  const operator = useSession((state) => state.operator)
  const [theme, setTheme] = useState(storedTheme)
  const other = theme === 'dark' ? 'light' : 'dark'
  async function leave() {
    await call('POST /desk/auth/logout').catch(() => undefined)
    queryClient.clear()
    signOutHere()
  }
  return (
    <div className={styles.who}>
      <Link to="/account" className={styles.email} title={operator?.email}>
        {operator?.email}
      </Link>
      <p className={styles.roles}>{operator?.roles.join(', ')}</p>
      <div className={styles.whoActs}>
        <Button look="quiet" size="small" onClick={() => void leave()}>
          <LogOut aria-hidden /> Sign out
        </Button>
        <Button
          look="quiet"
          size="small"
          icon
          aria-label={other === 'light' ? 'Light theme' : 'Dark theme'}
          onClick={() => {
            chooseTheme(other)
            setTheme(other)
          }}
        >
          {other === 'light' ? <Sun aria-hidden /> : <Moon aria-hidden />}
        </Button>
      </div>
    </div>
  )
}
