import { Search as Icon } from 'lucide-react'
import { useNavigate } from 'react-router'
import styles from './search.module.css'

/** The search of the page of users, on the start. `/` puts the focus here (`frame.tsx`). */
export function Search() {
  const navigate = useNavigate()
  return (
    <search className={styles.search}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          const q = String(new FormData(event.currentTarget).get('q')).trim()
          void navigate(q === '' ? '/users' : `/users?${new URLSearchParams({ q })}`)
        }}
      >
        <Icon aria-hidden />
        <input
          name="q"
          type="search"
          aria-label="Find a trader, trade or request"
          aria-keyshortcuts="/"
          placeholder="Find a trader, trade or request"
        />
        <kbd aria-hidden>/</kbd>
      </form>
    </search>
  )
}
