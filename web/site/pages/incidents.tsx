import { ContentPage } from '../content-page.tsx'
import { siteHead } from '../head.ts'
import { Section } from '../parts/sections.tsx'
import { Prose } from '../prose.tsx'
import { IncidentsWidget } from '../widgets/incidents/incidents-widget.tsx'

const head = siteHead({
  path: '/incidents',
  title: 'Incidents',
  description:
    'Void trades, outages, closed instruments, halts of payouts and rulings in the last 90 days, from records that nobody can remove.',
})

export const handle = { still: true }
export const meta = () => head

/** The public list of incidents. */
export default function Incidents() {
  return (
    <ContentPage
      title="Incidents"
      lead="What went wrong in the last 90 days: void trades, outages of prices, closed instruments, halts of payouts and rulings about complaints, without names."
    >
      <IncidentsWidget />
      <Section id="where-from" title="Where this list comes from">
        <Prose>
          <p>
            Nobody writes this list. It’s read from the tape, the trades and the books, whose records can’t be changed
            or removed, so an incident appears here automatically and none can be left out.
          </p>
          <p>
            A trade is void when the tape has no fresh price for its entry or its exit, when the source of prices
            changes while it runs, or when two operators void it before its end. The stake is returned in full. Void
            trades of one symbol within an hour are one line.
          </p>
          <p>An outage is a whole minute or more without any published price. No trade can be placed meanwhile.</p>
          <p>
            Our books are compared every few minutes. If they differ by one cent, withdrawals aren’t paid out until the
            difference is explained and two operators resume them.
          </p>
          <p>
            A trader can report a problem with a settled trade, a deposit or a withdrawal. The records are checked
            again, and two operators decide. If a price was wrong, every trade that lost on it gets its stake back, not
            only the one that was reported. Winners keep their payout, and no result changes.
          </p>
        </Prose>
      </Section>
    </ContentPage>
  )
}
