import {
  BadgeCheck,
  Banknote,
  FileKey,
  KeyRound,
  Layers,
  ListPlus,
  type LucideIcon,
  Mail,
  MessageSquareWarning,
  MessagesSquare,
  PlayCircle,
  Power,
  Scale,
  SirenOff,
  Undo2,
  Unplug,
  UserCog,
  Wallet,
} from 'lucide-react'
import { type ComponentType, lazy } from 'react'
import type { Queue } from '#contract/desk/terms.ts'

/** The icon and the screen of each queue. */
export const QUEUE_SCREENS: Record<Queue, { icon: LucideIcon; Screen: ComponentType }> = {
  'identity-checks': { icon: BadgeCheck, Screen: lazy(() => import('./identity-checks.tsx')) },
  deposits: { icon: Wallet, Screen: lazy(() => import('./deposits.tsx')) },
  withdrawals: { icon: Banknote, Screen: lazy(() => import('./withdrawals.tsx')) },
  'plan-requests': { icon: Layers, Screen: lazy(() => import('./plan-requests.tsx')) },
  complaints: { icon: MessageSquareWarning, Screen: lazy(() => import('./complaints.tsx')) },
  adjustments: { icon: Scale, Screen: lazy(() => import('./adjustments.tsx')) },
  reversals: { icon: Undo2, Screen: lazy(() => import('./reversals.tsx')) },
  'payout-resumptions': { icon: PlayCircle, Screen: lazy(() => import('./payout-resumptions.tsx')) },
  'factor-resets': { icon: KeyRound, Screen: lazy(() => import('./factor-resets.tsx')) },
  'account-changes': { icon: UserCog, Screen: lazy(() => import('./account-changes.tsx')) },
  'lever-releases': { icon: SirenOff, Screen: lazy(() => import('./lever-releases.tsx')) },
  'strategy-restarts': { icon: Power, Screen: lazy(() => import('./strategy-restarts.tsx')) },
  'instrument-changes': { icon: ListPlus, Screen: lazy(() => import('./instrument-changes.tsx')) },
  'venue-switches': { icon: Unplug, Screen: lazy(() => import('./venue-switches.tsx')) },
  'proof-keys': { icon: FileKey, Screen: lazy(() => import('./proof-keys.tsx')) },
  chats: { icon: MessagesSquare, Screen: lazy(() => import('./chats.tsx')) },
  messages: { icon: Mail, Screen: lazy(() => import('./messages.tsx')) },
}
