import {
  Activity,
  ArrowLeftRight,
  BookCheck,
  BookOpenCheck,
  Bot,
  ChartCandlestick,
  Coins,
  Gauge,
  House,
  type LucideIcon,
  Megaphone,
  Percent,
  Send,
  Settings2,
  ShieldUser,
  Siren,
  Users,
} from 'lucide-react'
import { PAGES, QUEUES, type Queue } from '#contract/desk/terms.ts'
import type { OperatorRole } from '#contract/terms.ts'
import { QUEUE_SCREENS } from '../queues/index.ts'

/** A page of the desk: its path and the roles that can see it (all if none is listed). */
export interface Place {
  path: string
  name: string
  icon: LucideIcon
  roles?: readonly OperatorRole[]
  /** The queue of the overview whose count is shown next to it. */
  queue?: string
}

const queues = Object.keys(QUEUES).map((name): Place => {
  const queue = name as Queue
  const { title, sees } = QUEUES[queue]
  return { path: `/${queue}`, name: title, icon: QUEUE_SCREENS[queue].icon, roles: sees, queue }
})

export const PLACES: readonly { group: string; places: readonly Place[] }[] = [
  { group: '', places: [{ path: '/', name: 'Start', icon: House }] },
  { group: 'Queues', places: queues },
  {
    group: 'Monitor',
    places: [
      { path: '/users', name: 'Users', icon: Users },
      { path: '/trades', name: 'Trades', icon: ChartCandlestick, roles: PAGES.trades.sees, queue: 'voids' },
      { path: '/payout-batches', name: 'Payout batches', icon: Send, roles: PAGES.payouts.sees },
      { path: '/emergency', name: 'Emergency', icon: Siren },
      { path: '/money', name: 'Money in and out', icon: ArrowLeftRight, roles: PAGES.business.sees },
      { path: '/exposure', name: 'Exposure', icon: Gauge, roles: PAGES.exposure.sees },
      { path: '/automatic', name: 'Automatic trades', icon: Bot, roles: PAGES.automatic.sees },
      { path: '/published-strategies', name: 'Published strategies', icon: Megaphone, roles: PAGES.automatic.sees },
      { path: '/feeds', name: 'Feeds', icon: Activity },
      { path: '/reconciliation', name: 'Reconciliation', icon: BookCheck, roles: PAGES.reconciliation.sees },
    ],
  },
  {
    group: 'Admin',
    places: [
      { path: '/operators', name: 'Operators', icon: ShieldUser, roles: PAGES.operators.sees },
      { path: '/instruments', name: 'Instruments', icon: Coins, roles: PAGES.instruments.sees },
      { path: '/odds', name: 'Price lists', icon: Percent, roles: PAGES.priceLists.sees },
      { path: '/settings', name: 'Settings', icon: Settings2, roles: PAGES.settings.sees, queue: 'settings' },
      { path: '/audit', name: 'Audit log', icon: BookOpenCheck, roles: PAGES.audit.sees },
    ],
  },
]
