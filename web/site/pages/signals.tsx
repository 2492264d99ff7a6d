import { figure } from '#web/ui/index.ts'
import { ContentPage } from '../content-page.tsx'
import { siteHead } from '../head.ts'
import { Section, TryTheDemo } from '../parts/sections.tsx'
import { Prose } from '../prose.tsx'
import { SignalsWidget } from '../widgets/signals/signals-widget.tsx'

const head = siteHead({
  path: '/signals',
  title: 'Signals, measured',
  name: 'Signals',
  description:
    'Every signal of every strategy, recorded before its outcome and judged by the same rules as a trade, with hit rates and break-even rates.',
})

export const handle = { still: true }
export const meta = () => head

/** The published strategies, what their signals did, and the list itself with its chain of hashes. */
export default function Signals() {
  return (
    <ContentPage
      title="Signals, measured"
      name="Signals"
      lead="Automatic trades follow these strategies. Every signal is recorded before its outcome exists and judged by the same rules as a trade, whether or not anyone follows it."
    >
      <SignalsWidget />
      <Section id="how" title="How to read this">
        <Prose>
          <p>
            <strong>Hit rate</strong> is the share of decided signals that were right. The interval says how sure that
            is: with 95 percent confidence, the true rate lies within it. Draws and voids return the stake and don’t
            count.
          </p>
          <p>
            <strong>Independent signals.</strong> The signals of one candle close win or lose together, because the
            symbols move together. So the interval counts closes, not signals, and we say how many independent signals
            would be as sure. For all durations together it counts hours, because trades of different lengths overlap.
          </p>
          <p>
            <strong>Break-even</strong> is the hit rate at which a follower neither gains nor loses at the chosen strike
            rate. A strategy is better than that only if its whole interval lies above it.
          </p>
          <p>
            <strong>Coin toss</strong> ignores the price. It’s the control: a strategy that does no better has found
            nothing. It tosses once per close, for all symbols, so its signals move together like the others’.
          </p>
          <p>
            <strong>Sealed.</strong> Signals of traders’ private strategies are in the chain too, but only as a hash of
            what they say. Their owners can open them; nobody else can read them, and nobody can add them later.
          </p>
          <p>
            The signal accuracy of {figure('signalAccuracy')} in our advertising is the operator’s claim. This page
            shows what was measured. Past signals don’t predict the next ones.
          </p>
        </Prose>
      </Section>
      <TryTheDemo />
    </ContentPage>
  )
}
