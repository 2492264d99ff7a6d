import {
  Activity,
  ArrowLeftRight,
  BookCheck,
  BookOpenCheck,
  Bot,
  ChartCandlestick,
  Coins,
  Gauge,
  Inbox,
  type LucideIcon,
  Megaphone,
  Percent,
  Send,
  Settings2,
  ShieldUser,
  Siren,
  UserCheck,
  Users,
} from 'lucide-react'
import { PAGES, type QueueTerms } from '#contract/desk/terms.ts'
import type { OperatorRole } from '#contract/terms.ts'

/** A page of the desk: its path and the roles that can see it (all if none is listed). */
export interface Place {
  path: string
  name: string
  icon: LucideIcon
  roles?: readonly OperatorRole[]
  /** The queues that its filters lead to. */
  queues?: QueueTerms['work']
}

/** The navigation. Queues are filters of the inbox and of the proposals. */
export const PLACES: readonly { group: string; places: readonly Place[] }[] = [
  {
    group: '',
    places: [
      { path: '/', name: 'Inbox', icon: Inbox, queues: 'claimed' },
      { path: '/proposals', name: 'Proposals', icon: UserCheck, queues: 'proposed' },
      { path: '/emergency', name: 'Emergency', icon: Siren },
    ],
  },
  {
    group: 'Traders',
    places: [
      { path: '/users', name: 'Users', icon: Users },
      { path: '/trades', name: 'Trades', icon: ChartCandlestick, roles: PAGES.trades.sees },
      { path: '/automatic', name: 'Automatic trades', icon: Bot, roles: PAGES.automatic.sees },
      { path: '/published-strategies', name: 'Published strategies', icon: Megaphone, roles: PAGES.automatic.sees },
    ],
  },
  {
    group: 'Money',
    places: [
      { path: '/money', name: 'Money in and out', icon: ArrowLeftRight, roles: PAGES.business.sees },
      { path: '/payout-batches', name: 'Payout batches', icon: Send, roles: PAGES.payouts.sees },
      { path: '/exposure', name: 'Exposure', icon: Gauge, roles: PAGES.exposure.sees },
      { path: '/reconciliation', name: 'Reconciliation', icon: BookCheck, roles: PAGES.reconciliation.sees },
    ],
  },
  {
    group: 'Markets',
    places: [
      { path: '/feeds', name: 'Feeds', icon: Activity },
      { path: '/instruments', name: 'Instruments', icon: Coins, roles: PAGES.instruments.sees },
      { path: '/odds', name: 'Price lists', icon: Percent, roles: PAGES.priceLists.sees },
    ],
  },
  {
    group: 'Admin',
    places: [
      { path: '/operators', name: 'Operators', icon: ShieldUser, roles: PAGES.operators.sees },
      { path: '/settings', name: 'Settings', icon: Settings2, roles: PAGES.settings.sees },
      { path: '/audit', name: 'Audit log', icon: BookOpenCheck, roles: PAGES.audit.sees },
    ],
  },
]
