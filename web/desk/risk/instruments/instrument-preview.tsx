import { useQuery } from '@tanstack/react-query'
import type { InstrumentTerms } from '#contract/desk/markets/instrument-changes.ts'
import type { DeskInstrumentPreview } from '#contract/desk/markets/instruments.ts'
import { messageOf } from '#web/client/index.ts'
import { formatPrice, SourceBadge } from '#web/ui/index.ts'
import { queryOf } from '../../api.ts'
import { Quiet } from '../figures-table.tsx'
import styles from './instruments.module.css'

export interface PreviewTerms extends InstrumentTerms {
  base: string
  quote: string
  scale: number
}

/** Returns terms as the query of a preview. */
export const previewQuery = ({ base, quote, venues, demo_only: _, ...numbers }: PreviewTerms) => ({
  base,
  quote,
  ...Object.fromEntries(Object.entries(numbers).map(([name, value]) => [name, String(value)])),
  ...(venues === null ? {} : { venues: venues.join() }),
})

/** The price that an instrument with these terms would have now, and how it would be made. */
export function InstrumentPreview({ terms, exists = false }: { terms: PreviewTerms; exists?: boolean }) {
  const { base, quote } = terms
  const named = base !== '' && quote !== ''
  const preview = useQuery({
    ...queryOf('GET /desk/instruments/preview', { query: previewQuery(terms) }),
    enabled: named,
    retry: false,
  })
  return (
    <section className={styles.preview} aria-label="Price now" aria-live="polite">
      {!named && <Quiet>Type both currencies to see the price that it would have now.</Quiet>}
      {named && preview.isPending && <Quiet>Loading the price …</Quiet>}
      {named && preview.error && <p className={styles.none}>{messageOf(preview.error)}</p>}
      {named && preview.data && <Found preview={preview.data.data} exists={exists} />}
    </section>
  )
}

function Found({ preview, exists }: { preview: DeskInstrumentPreview; exists: boolean }) {
  return (
    <>
      <p className={styles.badges}>
        <strong>{preview.symbol}</strong>
        {preview.price !== undefined && <strong>{formatPrice(preview.price)}</strong>}
        <SourceBadge source={preview.source} />
      </p>
      {preview.exists && !exists && <p className={styles.none}>This instrument already exists.</p>}
      {preview.why !== undefined && <p className={styles.none}>{preview.why}</p>}
      {preview.via !== undefined && <p>No exchange pair has it directly, so it is derived through {preview.via}.</p>}
      {preview.pairs.map(({ pair, price, members }) => (
        <div key={pair}>
          <p>
            {pair} {price !== undefined && formatPrice(price)}
          </p>
          <ul className={styles.members}>
            {members.map((member) => (
              <li key={`${member.venue} ${member.market}`}>
                <span>
                  {member.venue} <Quiet>{member.market}</Quiet>
                </span>
                <span>
                  {formatPrice(member.price)}{' '}
                  <Quiet>
                    {member.standing === 'kept'
                      ? member.from === 'quote'
                        ? 'quote'
                        : 'newest minute'
                      : NOT_USED[member.standing]}
                  </Quiet>
                </span>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </>
  )
}

type NotUsed = Exclude<DeskInstrumentPreview['pairs'][number]['members'][number]['standing'], 'kept'>

const NOT_USED: Record<NotUsed, string> = {
  outlier: 'too far from the others',
  no_quote: 'no price',
  silent: 'silent',
  old_trade: 'old trade',
  late: 'late',
  quarantined: 'in quarantine',
  out: 'taken out',
  thin: 'not deep enough',
  wide: 'spread too wide',
}
