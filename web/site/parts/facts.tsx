import { breakEvenRate } from '#contract/prices/measured.ts'
import { PLANS, percentOf, STRIKE_RATES, type StrikeRate, type TradeSide } from '#contract/terms.ts'
import { figure, formatPercent } from '#web/ui/index.ts'

const breakEven = (strikeRate: StrikeRate, side: TradeSide): string =>
  formatPercent(breakEvenRate(percentOf(strikeRate, side)), 1, 1)

/** Where the odds are that apply now: pages are static, and know those of the first price list only. */
export const OddsNow = () => <a href="/prices#odds">The odds on offer now</a>

/** The payout of each strike rate of the first price list, and the win rate needed to break even. */
export function StrikeRates() {
  return (
    <>
      <table>
        <caption className="visually-hidden">What strike rates pay, and how often a trade must win</caption>
        <thead>
          <tr>
            <th scope="col">Strike rate</th>
            <th scope="col">Buy wins</th>
            <th scope="col">Sell wins</th>
            <th scope="col">Buy must win</th>
            <th scope="col">Sell must win</th>
          </tr>
        </thead>
        <tbody>
          {STRIKE_RATES.map((strikeRate) => (
            <tr key={strikeRate}>
              <th scope="row">{strikeRate}</th>
              <td>{percentOf(strikeRate, 'Buy')}%</td>
              <td>{percentOf(strikeRate, 'Sell')}%</td>
              <td>{breakEven(strikeRate, 'Buy')}</td>
              <td>{breakEven(strikeRate, 'Sell')}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p>
        These are the odds of our first price list. Others can be offered by symbol, duration and hour. <OddsNow />
      </p>
    </>
  )
}

/** The plans with price and number of automatic trades. */
export function PlanTable() {
  return (
    <table>
      <caption className="visually-hidden">Trading plans</caption>
      <thead>
        <tr>
          <th scope="col">Plan</th>
          <th scope="col">Price</th>
          <th scope="col">Automatic trades a day</th>
          <th scope="col">Kind</th>
        </tr>
      </thead>
      <tbody>
        {PLANS.map((plan) => (
          <tr key={plan.value}>
            <th scope="row">{plan.name}</th>
            <td>${plan.priceUsd.toLocaleString('en-US')}</td>
            <td>{plan.tradesADay}</td>
            <td>{plan.feature}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

export const SupportMail = () => <a href={`mailto:${figure('email')}`}>{figure('email')}</a>
export const SupportPhone = () => <a href={`tel:${figure('phone')}`}>{figure('phone')}</a>
