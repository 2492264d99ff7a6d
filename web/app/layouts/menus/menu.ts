import {
  ArrowDownToLine,
  ArrowUpFromLine,
  Bell,
  Bot,
  CandlestickChart,
  ChartColumn,
  CircleUser,
  History,
  Layers,
  type LucideIcon,
  Settings,
  TrendingUp,
} from 'lucide-react'
import type { Mode } from '#contract/trading/trading.ts'
import { HOME } from './places.ts'

interface MenuEntry {
  to: string
  label: string
  /** What the header shows where it is narrow; part of the label. */
  short?: string
}

interface MenuGroup {
  /** The label in the icon navigation. */
  label: string
  icon: LucideIcon
  /** Exists in real mode only. */
  realOnly: boolean
  entries: readonly [MenuEntry, ...MenuEntry[]]
  /** Screens that belong here, and are opened from another one. */
  more?: readonly string[]
}

/** The menus of the user area, in the order of the icon navigation. */
const GROUPS: readonly MenuGroup[] = [
  {
    label: 'Trading',
    icon: CandlestickChart,
    realOnly: false,
    entries: [
      { to: HOME, label: 'Quick trading', short: 'Trading' },
      { to: '/user/automatic', label: 'Automatic trades', short: 'Automatic' },
      { to: '/user/strategies', label: 'My strategies', short: 'Strategies' },
      { to: '/user/trade-history', label: 'Trade history', short: 'History' },
      { to: '/user/statistics', label: 'Statistics' },
      { to: '/user/alerts', label: 'Alerts' },
    ],
    more: ['/user/complaints'],
  },
  {
    label: 'Deposit',
    icon: ArrowDownToLine,
    realOnly: true,
    entries: [
      { to: '/user/deposit', label: 'Deposit fund' },
      { to: '/user/deposit-log', label: 'Deposit history' },
    ],
  },
  {
    label: 'Withdrawal',
    icon: ArrowUpFromLine,
    realOnly: true,
    entries: [
      { to: '/user/withdraw-fund', label: 'Withdraw fund' },
      { to: '/user/withdraw-log', label: 'Withdraw history' },
    ],
  },
  { label: 'Profits', icon: TrendingUp, realOnly: true, entries: [{ to: '/user/earnings', label: 'Profits' }] },
  { label: 'Plans', icon: Layers, realOnly: true, entries: [{ to: '/user/plan', label: 'Trading plans' }] },
  {
    label: 'Profile',
    icon: CircleUser,
    realOnly: false,
    entries: [
      { to: '/user/edit-profile', label: 'Edit profile' },
      { to: '/user/change-password', label: 'Change password' },
      { to: '/user/verify', label: 'KYC verification' },
    ],
  },
  {
    label: 'Settings',
    icon: Settings,
    realOnly: false,
    entries: [
      { to: '/user/security', label: 'Security' },
      { to: '/user/limits', label: 'Limits' },
      { to: '/user/notifications', label: 'Notifications' },
      { to: '/user/account', label: 'Account' },
    ],
    more: ['/user/solvency'],
  },
]

/** Returns the menus that are available in the mode. */
export const groupsOf = (mode: Mode): readonly MenuGroup[] =>
  GROUPS.filter((group) => mode === 'real' || !group.realOnly)

/** Returns the bottom navigation: quick trading, then the four money pages, or in demo mode what it has instead. */
export function bottomEntriesOf(mode: Mode): readonly (MenuEntry & { icon: LucideIcon })[] {
  const quick = { to: HOME, label: 'Quick Trading', icon: CandlestickChart }
  if (mode === 'demo')
    return [
      quick,
      { to: '/user/automatic', label: 'Automatic', icon: Bot },
      { to: '/user/trade-history', label: 'History', icon: History },
      { to: '/user/statistics', label: 'Statistics', icon: ChartColumn },
      { to: '/user/alerts', label: 'Alerts', icon: Bell },
    ]
  return [
    quick,
    { to: '/user/earnings', label: 'Profits', icon: TrendingUp },
    { to: '/user/deposit', label: 'Deposit', icon: ArrowDownToLine },
    { to: '/user/withdraw-fund', label: 'Withdraw', icon: ArrowUpFromLine },
    { to: '/user/plan', label: 'Trading Plans', icon: Layers },
  ]
}

/** Returns the group of a page. */
export function groupAt(path: string): MenuGroup | undefined {
  const page = path.replace(/\/+$/, '')
  return GROUPS.find(({ entries, more = [] }) => more.includes(page) || entries.some(({ to }) => to === page))
}
