import { useQuery } from '@tanstack/react-query'
import type { DeskInstrumentChange, InstrumentTerms } from '#contract/desk/markets/instrument-changes.ts'
import { PAGES } from '#contract/desk/terms.ts'
import { messageOf } from '#web/client/index.ts'
import { Fact, formatDateTime, formatPrice } from '#web/ui/index.ts'
import { call, queryOf } from '../../api.ts'
import { type PreviewTerms, previewQuery } from '../../risk/instruments/instrument-preview.tsx'
import { termsAsText } from '../../risk/instruments/instrument-terms.tsx'
import { useMay } from '../../session.ts'
import { ProposalScreen } from '../screen/proposal.tsx'

const DONE = {
  add: 'is added',
  change: 'has new terms',
  close: 'is closed',
  reopen: 'is open',
  withdraw: 'is withdrawn',
} as const
const KEPT = {
  add: "isn't added",
  change: 'keeps its terms',
  close: 'stays open',
  reopen: 'stays closed',
  withdraw: 'stays',
} as const

/** Instrument changes: proposed by one admin on the page of instruments, decided here by another. */
export default function InstrumentChanges() {
  return (
    <ProposalScreen
      queue="instrument-changes"
      line={(item) => ({ words: `by ${item.proposed_by.email}` })}
      facts={(item) => <ChangeFacts item={item} />}
      decision={({ id, kind, symbol }) => ({
        approve: () => call('POST /desk/instrument-changes/:id/approve', { params: { id } }),
        approved: `${symbol} ${DONE[kind]}.`,
        reject: (reason) => call('POST /desk/instrument-changes/:id/reject', { params: { id }, body: { reason } }),
        rejected: `Rejected. ${symbol} ${KEPT[kind]}.`,
      })}
    />
  )
}

function ChangeFacts({ item }: { item: DeskInstrumentChange }) {
  const may = useMay(PAGES.instruments.acts)
  return (
    <>
      <Fact name="Change">{item.name}</Fact>
      {item.closed_reason !== null && <Fact name="Traders see">{item.closed_reason}</Fact>}
      {item.kind === 'add' && (
        <>
          <Fact name="Pair">
            {item.base}/{item.quote}
          </Fact>
          <Fact name="Trading type">{item.trading_type}</Fact>
          <Fact name="Decimal places">{item.scale}</Fact>
        </>
      )}
      {item.terms && <Terms terms={item.terms} before={item.now?.terms} />}
      {item.counts_from !== undefined && <Fact name="Counts from">{formatDateTime(item.counts_from)}</Fact>}
      {may && item.status === 'Pending' && <PriceNow item={item} />}
    </>
  )
}

/** The proposed terms; those that change show what they are now, too. */
function Terms({ terms, before }: { terms: InstrumentTerms; before: InstrumentTerms | undefined }) {
  const old = before && new Map(termsAsText(before))
  return termsAsText(terms).map(([name, text]) => (
    <Fact key={name} name={name}>
      {old === undefined || old.get(name) === text ? (
        text
      ) : (
        <>
          <s>{old.get(name)}</s> <strong>{text}</strong>
        </>
      )}
    </Fact>
  ))
}

/** The price that the instrument would have now, or why it would have none. */
function PriceNow({ item }: { item: DeskInstrumentChange }) {
  const { terms } = item
  const { base, quote, scale } = item.now ?? item
  if (terms === null || base === null || quote === null || scale === null) return null
  return (
    <Fact name="Price now">
      <PreviewedPrice terms={{ base, quote, scale, ...terms }} />
    </Fact>
  )
}

function PreviewedPrice({ terms }: { terms: PreviewTerms }) {
  const { data, error } = useQuery({
    ...queryOf('GET /desk/instruments/preview', { query: previewQuery(terms) }),
    retry: false,
  })
  const found = data?.data
  return error ? messageOf(error) : found ? (found.why ?? formatPrice(found.price)) : 'Loading the price …'
}
