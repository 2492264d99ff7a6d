import { ArrowLeft, ChevronRight, X } from 'lucide-react'
import { Brand } from '#web/ui/index.ts'
import { type Group, isGroup, MENU } from './menu.ts'
import styles from './phone-menu.module.css'

const groupId = (group: Group) => `phone-menu-${group.name.toLowerCase()}`

/** The phone's menu: a panel that slides in, and a second panel for each group, with a back arrow. */
export function PhoneMenu() {
  return (
    <div className={styles.panel} id="phone-menu" popover="auto" data-phone-menu>
      <div className={styles.head}>
        <Brand />
        <button
          type="button"
          className={styles.icon}
          popoverTarget="phone-menu"
          popoverTargetAction="hide"
          aria-label="Close menu"
        >
          <X aria-hidden />
        </button>
      </div>
      <nav aria-label="Menu">
        <ul className={styles.entries}>
          {MENU.map((entry) => (
            <li key={entry.name}>
              {isGroup(entry) ? (
                <>
                  <button type="button" className={styles.entry} popoverTarget={groupId(entry)}>
                    {entry.name} <ChevronRight aria-hidden />
                  </button>
                  <Submenu group={entry} />
                </>
              ) : (
                <a className={styles.entry} href={entry.href}>
                  {entry.name}
                </a>
              )}
            </li>
          ))}
        </ul>
      </nav>
    </div>
  )
}

function Submenu({ group }: { group: Group }) {
  return (
    <div className={styles.panel} id={groupId(group)} popover="auto">
      <div className={styles.head}>
        <button
          type="button"
          className={styles.icon}
          popoverTarget={groupId(group)}
          popoverTargetAction="hide"
          aria-label="Back to the menu"
        >
          <ArrowLeft aria-hidden />
        </button>
        <p className={styles.title}>{group.name}</p>
      </div>
      <ul className={styles.entries}>
        {group.places.map((place) => (
          <li key={place.href}>
            <a className={styles.entry} href={place.href}>
              {place.name}
            </a>
          </li>
        ))}
      </ul>
    </div>
  )
}
