import { Clock, FileText, History, Star } from 'lucide-react'
import type { ReactNode } from 'react'
import { useLivePrice } from '#web/api/index.ts'
import { changePercent, pairName, pausedWord, Sparkline } from '#web/markets/index.ts'
import { Change, cx, formatPercentSigned, formatPrice, formatUsd, Side } from '#web/ui/index.ts'
import styles from './search.module.css'
import type { Option, TradesOn } from './use-found.ts'

interface RowProps {
  id: string
  option: Option
  typed: string
  isMarked: boolean
  /** It is the market on the chart. */
  isShown: boolean
  isStarred: boolean
  line: readonly number[] | undefined
  onTake: () => void
  onToggle: (symbol: string) => void
}

/** One thing to open. */
export function OptionRow({ id, option, isMarked, isShown, onTake, ...rest }: RowProps) {
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the combobox above handles the keys
    // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the combobox, which names the active option
    <div
      id={id}
      role="option"
      aria-selected={isShown}
      aria-disabled={option.off !== undefined}
      data-id={option.id}
      className={cx(styles.row, isMarked && styles.marked, option.off !== undefined && styles.off)}
      onClick={onTake}
    >
      {option.is === 'market' ? <Market {...rest} option={option} /> : <Other typed={rest.typed} option={option} />}
    </div>
  )
}

type MarketProps = Pick<RowProps, 'typed' | 'isStarred' | 'line' | 'onToggle'> & {
  option: Option & { is: 'market' }
}

function Market({ option, typed, isStarred, line, onToggle }: MarketProps) {
  const { instrument, off } = option
  const price = useLivePrice(instrument.symbol)?.price ?? instrument.price
  const change = changePercent(price, instrument.price_before)
  const paused = pausedWord(instrument)
  return (
    <>
      <OptionStar isOn={isStarred} onToggle={() => onToggle(instrument.symbol)} />
      <span className={styles.words}>
        <span className={styles.name}>
          {instrument.base}
          <span className={styles.quote}>{instrument.quote}</span>
        </span>
        <span className={styles.about}>
          <Found text={pairName(instrument)} typed={typed} />
          {typed !== '' && instrument.trading_type && ` · ${instrument.trading_type}`}
        </span>
      </span>
      {off !== undefined ? (
        <span className={styles.reason}>{off}</span>
      ) : (
        <>
          {paused && <span className={styles.paused}>{paused}</span>}
          <Sparkline line={line} change={change} />
          <span className={styles.figures}>
            {formatPrice(price, instrument.scale)}
            <span className={cx(styles.change, change !== undefined && (change < 0 ? styles.down : styles.up))}>
              {change === undefined ? '' : formatPercentSigned(change)}
            </span>
          </span>
        </>
      )}
    </>
  )
}

/** What isn't a market: an earlier search, own trades, a page. */
function Other({ option, typed }: { option: Exclude<Option, { is: 'market' }>; typed: string }) {
  switch (option.is) {
    case 'search':
      return <Words icon={<Clock aria-hidden />} name={option.text} />
    case 'trades':
      return (
        <Words
          icon={<History aria-hidden />}
          name={`${option.on.trades} ${option.on.trades === 1 ? 'trade' : 'trades'} on ${option.on.symbol}`}
          about={openWords(option.on)}
        >
          {option.on.trades > option.on.open && <Change amount={option.on.net} unit="$" />}
        </Words>
      )
    case 'trade':
      return (
        <Words
          icon={<History aria-hidden />}
          name={
            <>
              {option.trade.symbol} <Side side={option.trade.side} />
            </>
          }
          about={`Trade ${option.trade.trade_id}`}
        >
          {formatUsd(option.trade.stake)}
        </Words>
      )
    case 'page':
      return (
        <Words
          icon={<FileText aria-hidden />}
          name={<Found text={option.page.label} typed={typed} />}
          about={<Found text={option.page.about} typed={typed} />}
        >
          {option.off}
        </Words>
      )
  }
}

const openWords = ({ open, trades }: TradesOn): string =>
  open === 0 ? '' : open === trades ? 'In Progress' : `${open} in progress`

const Words = ({
  icon,
  name,
  about,
  children,
}: {
  icon: ReactNode
  name: ReactNode
  about?: ReactNode
  children?: ReactNode
}) => (
  <>
    <span className={styles.icon}>{icon}</span>
    <span className={styles.words}>
      <span className={styles.name}>{name}</span>
      {about && <span className={styles.about}>{about}</span>}
    </span>
    {children && <span className={styles.reason}>{children}</span>}
  </>
)

/** A text in which the typed words that begin a word stand out. */
function Found({ text, typed }: { text: string; typed: string }) {
  const words = typed.split(/[^\p{L}\p{N}]+/u).filter(Boolean)
  if (words.length === 0) return text
  // Every second part is a match.
  const parts = text.split(new RegExp(`(?<![\\p{L}\\p{N}])(${words.join('|')})`, 'iu'))
  return parts.map((part, at) =>
    at % 2 === 1 ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: parts of one text have no other name
      <b key={at} className={styles.match}>
        {part}
      </b>
    ) : (
      part
    ),
  )
}

/** A star inside an option, which can't hold a button: for the pointer; the keys are in the field above. */
const OptionStar = ({ isOn, onToggle }: { isOn: boolean; onToggle: () => void }) => (
  <>
    {/* biome-ignore lint/a11y/useKeyWithClickEvents: S in the combobox does the same */}
    {/* biome-ignore lint/a11y/noStaticElementInteractions: the option is named by its text, which says if it's a favourite */}
    <span
      className={cx(styles.star, isOn && styles.on)}
      title={isOn ? 'Remove from favourites' : 'Add to favourites'}
      onMouseDown={(event) => event.preventDefault()}
      onClick={(event) => {
        event.stopPropagation()
        onToggle()
      }}
    >
      <Star aria-hidden />
    </span>
    {isOn && <span className="visually-hidden">Favourite</span>}
  </>
)
