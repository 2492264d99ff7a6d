import { first, last } from '#kernel/must.ts'
import type { Receipt } from '#packages/verify/verify.js'
import { cx, formatDate, formatExactTime, formatPrice } from '#web/ui/index.ts'
import { HEIGHT, type Mark, type MarkKind, type Panel, type Picture, pictureOf } from './picture.ts'
import styles from './receipt-picture.module.css'

/** The stretch of tape around entry and exit, and the same as a table. Nothing if no price decided the trade. */
export function ReceiptPicture({ receipt }: { receipt: Receipt }) {
  const picture = pictureOf(receipt)
  if (!picture) return null
  const { status } = receipt.outcome
  return (
    <div className={cx(styles.picture, status === 'Won' && styles.won, status === 'Lost' && styles.lost)}>
      <div className={styles.panels}>
        {picture.panels.map((panel, n) => (
          <TapePanel key={panel.title} panel={panel} entryY={picture.entryY} isAfterEntry={n > 0} />
        ))}
      </div>
      <TapeTable rows={picture.rows} />
    </div>
  )
}

interface TapePanelProps {
  panel: Panel
  entryY: number | undefined
  isAfterEntry: boolean
}

function TapePanel({ panel: { title, caption, marks, line }, entryY, isAfterEntry }: TapePanelProps) {
  const [oldest, newest] = [first(marks), last(marks)]
  const named = marks.find(({ kind }) => kind === 'entry' || kind === 'exit')
  return (
    <figure className={styles.panel}>
      <svg
        className={styles.drawing}
        width="100%"
        height={HEIGHT}
        role="img"
        aria-label={`${title}: ${caption}. The table below has the prices and times.`}
      >
        {isAfterEntry && entryY !== undefined && (
          <>
            <line className={styles.level} x1="0" x2="100%" y1={entryY} y2={entryY} />
            <text
              className={styles.quiet}
              x="100%"
              dx="-4"
              y={entryY + (newest.y <= entryY ? 13 : -5)}
              textAnchor="end"
            >
              entry
            </text>
          </>
        )}
        {line && (
          <>
            <line className={styles.moment} x1={`${line.x}%`} x2={`${line.x}%`} y1={19} y2={HEIGHT - 6} />
            <text className={styles.word} x={`${line.x}%`} y={13} textAnchor="middle">
              {line.word}
            </text>
          </>
        )}
        {/* A price holds until the next one. */}
        <line className={styles.price} x1={`${oldest.x}%`} x2={`${newest.x}%`} y1={oldest.y} y2={oldest.y} />
        <line className={styles.price} x1={`${newest.x}%`} x2={`${newest.x}%`} y1={oldest.y} y2={newest.y} />
        <line className={styles.price} x1={`${newest.x}%`} x2="100%" y1={newest.y} y2={newest.y} />
        {marks.map((mark) => (
          <g key={mark.kind}>
            <svg x={`${mark.x}%`} y={mark.y} overflow="visible" aria-hidden="true">
              <Shape kind={mark.kind} />
            </svg>
            {mark.kind !== 'neighbour' && (
              <text className={styles.mark} x={`${mark.x}%`} y={labelY(mark, marks, entryY)} textAnchor="middle">
                {mark.word}
              </text>
            )}
          </g>
        ))}
      </svg>
      <figcaption className={styles.caption}>
        <strong>
          {title}
          {named && ` ${formatPrice(named.tick.price)}`}
        </strong>
        <span>{caption}</span>
      </figcaption>
    </figure>
  )
}

/** A mark's label is on the side without a line. */
function labelY(mark: Mark, marks: readonly Mark[], entryY: number | undefined): number {
  const others = marks.filter((one) => one !== mark).map(({ y }) => y)
  const level = mark.kind === 'entry' ? others[0] : entryY
  return level !== undefined && mark.y > level ? mark.y + 21 : mark.y - 11
}

/** Entry and exit differ by shape, not by colour alone. */
function Shape({ kind }: { kind: MarkKind | 'line' }) {
  if (kind === 'entry') return <path className={styles.entry} d="M0-7 7 0 0 7-7 0Z" />
  if (kind === 'exit') return <rect className={styles.exit} x={-6} y={-6} width={12} height={12} rx={1.5} />
  if (kind === 'late') return <path className={styles.hollow} d="M0-6.5 6.5 0 0 6.5-6.5 0Z" />
  if (kind === 'change') return <path className={styles.hollow} d="M0-7 7 6H-7Z" />
  if (kind === 'line') return <path className={styles.moment} d="M0-8V8" />
  return <circle className={styles.hollow} r={4.5} />
}

function TapeTable({ rows }: { rows: Picture['rows'] }) {
  const day = formatDate(first(rows).time)
  return (
    <table className={styles.table}>
      <caption className="visually-hidden">Prices around entry and exit</caption>
      <thead>
        <tr>
          <th scope="col">{day}</th>
          <th scope="col">Price</th>
          <th scope="col">Time</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ kind, word, price, time }) => (
          <tr key={`${time} ${word}`} className={cx((kind === 'entry' || kind === 'exit') && styles.strong)}>
            <th scope="row">
              <svg className={styles.key} viewBox="-9 -9 18 18" aria-hidden="true">
                <Shape kind={kind} />
              </svg>
              {word}
            </th>
            <td>{price === undefined ? '' : formatPrice(price)}</td>
            <td>
              {formatDate(time) !== day && <span className={styles.day}>{formatDate(time)} </span>}
              {formatExactTime(time)}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
