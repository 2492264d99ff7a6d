import {
  ArrowDownToLine,
  ArrowUpFromLine,
  CandlestickChart,
  CircleUser,
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
}

interface MenuGroup {
  /** The label in the icon navigation. */
  label: string
  icon: LucideIcon
  /** Exists in real mode only. */
  realOnly: boolean
  entries: readonly [MenuEntry, ...MenuEntry[]]
}

/** The menus of the user area, in the order of the icon navigation. */
const GROUPS: readonly MenuGroup[] = [
  {
    label: 'Trading',
    icon: CandlestickChart,
    realOnly: false,
    entries: [
      { to: HOME, label: 'Quick trading' },
      { to: '/user/automatic', label: 'Automatic trades' },
      { to: '/user/strategies', label: 'My strategies' },
      { to: '/user/trade-history', label: 'Trade history' },
      { to: '/user/statistics', label: 'Statistics' },
      { to: '/user/alerts', label: 'Alerts' },
    ],
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
  },
]

/** Returns the menus that are available in the mode. */
export const groupsOf = (mode: Mode): readonly MenuGroup[] =>
  GROUPS.filter((group) => mode === 'real' || !group.realOnly)

/** Returns the bottom navigation: quick trading, and in real mode the four money pages. */
export function bottomEntriesOf(mode: Mode): readonly (MenuEntry & { icon: LucideIcon })[] {
  const quick = { to: HOME, label: 'Quick Trading', icon: CandlestickChart }
  if (mode === 'demo') return [quick]
  return [
    quick,
    { to: '/user/earnings', label: 'Profits', icon: TrendingUp },
    { to: '/user/deposit', label: 'Deposit', icon: ArrowDownToLine },
    { to: '/user/withdraw-fund', label: 'Withdraw', icon: ArrowUpFromLine },
    { to: '/user/plan', label: 'Trading Plans', icon: Layers },
  ]
}

/** Returns the group of a page. */
export const groupAt = (path: string): MenuGroup | undefined =>
  GROUPS.find((group) => group.entries.some((entry) => path.replace(/\/+$/, '') === entry.to))
