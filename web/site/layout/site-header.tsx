import { ChevronDown, Menu } from 'lucide-react'
import { useLocation } from 'react-router'
import { Brand, ButtonLink } from '#web/ui/index.ts'
import { ChatButton } from './chat-button.tsx'
import { isGroup, MENU } from './menu.ts'
import { PhoneMenu } from './phone-menu.tsx'
import styles from './site-header.module.css'

/**
 * The header: menu, Live Chat, and Login or Dashboard. Dropdowns and the phone's panel are native, so they open without a script;
 * the script adds hover and arrow keys.
 */
export function SiteHeader() {
  const { pathname } = useLocation()
  // At build time, addresses end with a slash.
  const here = pathname.replace(/(?<=.)\/$/, '')
  const current = (href: string) => (href === here ? 'page' : undefined)
  return (
    <header className={styles.header} data-header>
      <a className={styles.brand} href="/">
        <Brand />
      </a>
      <nav className={styles.menu} aria-label="Main">
        <ul className={styles.entries}>
          {MENU.map((entry) => (
            <li key={entry.name}>
              {isGroup(entry) ? (
                <details className={styles.group} name="menu" data-dropdown>
                  <summary className={styles.entry}>
                    {entry.name} <ChevronDown aria-hidden />
                  </summary>
                  <ul className={styles.places}>
                    {entry.places.map((place) => (
                      <li key={place.href}>
                        <a className={styles.place} href={place.href} aria-current={current(place.href)}>
                          {place.name}
                        </a>
                      </li>
                    ))}
                  </ul>
                </details>
              ) : (
                <a className={styles.entry} href={entry.href} aria-current={current(entry.href)}>
                  {entry.name}
                </a>
              )}
            </li>
          ))}
        </ul>
      </nav>
      <ChatButton />
      <ButtonLink className={styles.login} href="/auth/signin" data-login>
        Login
      </ButtonLink>
      <button type="button" className={styles.open} popoverTarget="phone-menu" aria-label="Open menu">
        <Menu aria-hidden />
      </button>
      <PhoneMenu />
    </header>
  )
}
