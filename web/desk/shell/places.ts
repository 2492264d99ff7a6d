import {
  Activity,
  BadgeCheck,
  Banknote,
  BookOpenCheck,
  ChartCandlestick,
  Gauge,
  House,
  KeyRound,
  Layers,
  type LucideIcon,
  Mail,
  MessagesSquare,
  Scale,
  Settings2,
  ShieldUser,
  Undo2,
  Users,
  Wallet,
} from 'lucide-react'
import type { OperatorRole } from '#contract/terms.ts'

/** A page of the desk: its path and the roles that can see it (all if none is listed). */
export interface Place {
  path: string
  name: string
  icon: LucideIcon
  roles?: readonly OperatorRole[]
  /** The queue of the overview whose count is shown next to it. */
  queue?: string
}

export const PLACES: readonly { group: string; places: readonly Place[] }[] = [
  { group: '', places: [{ path: '/', name: 'Start', icon: House }] },
  {
    group: 'Queues',
    places: [
      {
        path: '/identity-checks',
        name: 'Identity checks',
        icon: BadgeCheck,
        roles: ['compliance', 'auditor'],
        queue: 'identity-checks',
      },
      { path: '/deposits', name: 'Deposits', icon: Wallet, roles: ['finance', 'auditor'], queue: 'deposits' },
      {
        path: '/withdrawals',
        name: 'Withdrawals',
        icon: Banknote,
        roles: ['finance', 'auditor'],
        queue: 'withdrawals',
      },
      {
        path: '/plan-requests',
        name: 'Plan requests',
        icon: Layers,
        roles: ['finance', 'auditor'],
        queue: 'plan-requests',
      },
      { path: '/adjustments', name: 'Adjustments', icon: Scale, roles: ['finance', 'auditor'], queue: 'adjustments' },
      { path: '/reversals', name: 'Reversals', icon: Undo2, roles: ['finance', 'auditor'], queue: 'reversals' },
      {
        path: '/factor-resets',
        name: 'Second factor resets',
        icon: KeyRound,
        roles: ['compliance', 'auditor'],
        queue: 'factor-resets',
      },
      { path: '/chats', name: 'Chats', icon: MessagesSquare, roles: ['support', 'auditor'], queue: 'chats' },
      { path: '/messages', name: 'Messages', icon: Mail, roles: ['support', 'auditor'], queue: 'messages' },
    ],
  },
  {
    group: 'Look',
    places: [
      { path: '/users', name: 'Users', icon: Users },
      {
        path: '/trades',
        name: 'Trades',
        icon: ChartCandlestick,
        roles: ['risk', 'support', 'auditor'],
        queue: 'voids',
      },
      { path: '/exposure', name: 'Exposure', icon: Gauge, roles: ['risk', 'admin', 'auditor'] },
      { path: '/feeds', name: 'Feeds', icon: Activity },
    ],
  },
  {
    group: 'Office',
    places: [
      { path: '/operators', name: 'Operators', icon: ShieldUser, roles: ['admin', 'auditor'] },
      {
        path: '/settings',
        name: 'Settings',
        icon: Settings2,
        roles: ['admin', 'finance', 'risk', 'auditor'],
        queue: 'settings',
      },
      { path: '/audit', name: 'Audit log', icon: BookOpenCheck, roles: ['auditor', 'admin', 'compliance'] },
    ],
  },
]
