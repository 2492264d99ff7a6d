import { PUBLIC_PAGES } from '#contract/site.ts'
import { FOOTER, isGroup, MENU } from '#web/site/index.ts'
import type { SearchPage } from '#web/trader/search/index.ts'
import { groupsOf } from '../menus/menu.ts'

/** What is on a screen, that its name doesn't say. */
const ABOUT: Record<string, string> = {
  '/user/home': 'Chart, order, open trades',
  '/user/automatic': 'Follow a strategy, limits, stops, back-test',
  '/user/strategies': 'Rules, signals, back-test, publish',
  '/user/trade-history': 'All trades, results, CSV, tax',
  '/user/statistics': 'Win rate, net result, calendar',
  '/user/alerts': 'Prices, moves, indicators',
  '/user/deposit': 'Card, Bitcoin wallet, Ethereum wallet',
  '/user/withdraw-fund': 'Bank, crypto wallet, addresses',
  '/user/earnings': 'Earnings of winning trades',
  '/user/plan': 'Beginner, Gold, Platinum, Diamond',
  '/user/edit-profile': 'Name, address, phone, picture, referral code',
  '/user/verify': 'Government ID, proof of address',
  '/user/security': 'Passkeys, authenticator app, recovery codes, sessions',
  '/user/limits': 'Deposits, losses, time-out, self-exclusion',
  '/user/notifications': 'E-mail, push messages, sounds',
  '/user/account': 'E-mail address, export data, close account, time zone',
  '/prices': 'How each price is made, exchanges, the tape of a day',
  '/signals': 'The record of every strategy',
  '/verify': 'Check that a trade was settled by the tape',
  '/incidents': 'Outages, void trades, switched exchanges',
  '/live-payouts': 'What traders won',
}

const SCREENS: readonly SearchPage[] = groupsOf('real').flatMap(({ label, entries, realOnly }) =>
  entries.map((entry) => ({
    to: entry.to,
    label: entry.label,
    about: ABOUT[entry.to] ?? label,
    isPublic: false,
    realOnly,
  })),
)

/** Screens that no menu has. */
const OTHERS: readonly SearchPage[] = [
  {
    to: '/user/complaints',
    label: 'Your complaints',
    about: 'Reported problems, rulings',
    isPublic: false,
    realOnly: false,
  },
  {
    to: '/user/solvency',
    label: 'Solvency',
    about: 'Proof that your balance is counted',
    isPublic: false,
    realOnly: false,
  },
  // The ticket's link to it is no stop of the Tab key.
  {
    to: '/prices#odds',
    label: 'All odds on offer',
    about: 'Strike rates, payouts, break-even',
    isPublic: true,
    realOnly: false,
  },
]

const PUBLIC: readonly SearchPage[] = PUBLIC_PAGES.flatMap((to) => {
  const place = [...MENU, ...FOOTER]
    .flatMap((entry) => (isGroup(entry) ? entry.places : [entry]))
    .find(({ href }) => href === to)
  return place ? [{ to, label: place.name, about: ABOUT[to] ?? 'Public site', isPublic: true, realOnly: false }] : []
})

/** What the search finds besides markets and trades. */
export const PAGES: readonly SearchPage[] = [...SCREENS, ...OTHERS, ...PUBLIC]
