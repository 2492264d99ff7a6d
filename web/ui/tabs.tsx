import { Tabs as Base } from '@base-ui/react/tabs'
import type { ReactNode } from 'react'
import styles from './tabs.module.css'

interface TabsProps<T extends string> {
  /** What the tabs choose between, for screen readers. */
  label: string
  value: T
  onChange: (value: T) => void
  tabs: readonly { value: T; label: ReactNode }[]
  /** The panel of the chosen tab. */
  children?: ReactNode
}

/** Tabs with arrow keys. The panel below belongs to the chosen one. */
export function Tabs<T extends string>({ label, value, onChange, tabs, children }: TabsProps<T>) {
  return (
    <Base.Root value={value} onValueChange={(chosen: T) => onChange(chosen)}>
      <Base.List className={styles.list} aria-label={label} activateOnFocus>
        {tabs.map((tab) => (
          <Base.Tab key={tab.value} value={tab.value} className={styles.tab}>
            {tab.label}
          </Base.Tab>
        ))}
      </Base.List>
      {children !== undefined && <Base.Panel value={value}>{children}</Base.Panel>}
    </Base.Root>
  )
}
