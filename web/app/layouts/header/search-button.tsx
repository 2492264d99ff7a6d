import { Search } from 'lucide-react'
import { openSearch } from '#web/markets/index.ts'
import { cx } from '#web/ui/index.ts'
import styles from './search-button.module.css'

/** Opens the search: looks like its field where the header has room, else an icon. */
export const SearchButton = ({ className }: { className?: string | undefined }) => (
  <div className={cx(styles.place, className)}>
    <button
      type="button"
      className={styles.search}
      aria-label="Search markets, trades, pages"
      aria-haspopup="dialog"
      aria-keyshortcuts="/"
      onClick={() => openSearch()}
    >
      <Search aria-hidden />
      <span className={styles.words}>
        Search<span className={styles.kinds}> markets, trades, pages</span>
      </span>
      <kbd className={styles.key}>/</kbd>
    </button>
  </div>
)
