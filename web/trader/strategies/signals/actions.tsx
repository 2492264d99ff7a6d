import { Link2, Radio, Send, Undo2 } from 'lucide-react'
import { useState } from 'react'
import { OWN_STRATEGIES, type OwnStrategy } from '#contract/trading/own-strategies.ts'
import { call } from '#web/api/index.ts'
import { Button, Modal } from '#web/ui/index.ts'
import { Address } from './address.tsx'
import { Publish } from './publish.tsx'
import { Question } from './question.tsx'
import styles from './signals.module.css'

export type Action = 'on' | 'off' | 'publish' | 'withdraw' | 'address' | 'archive'
/** What was asked of which strategy. */
interface Asked {
  strategy: OwnStrategy
  action: Action
}

const isPublic = ({ published }: OwnStrategy): boolean =>
  published !== undefined && published.withdrawn_at === undefined

/** The buttons of what a strategy's signals can do. A published strategy's signals stay on. */
export function SignalActions({ strategy, onAct }: { strategy: OwnStrategy; onAct: (action: Action) => void }) {
  const { name, kind, signals_on, published } = strategy
  const button = (action: Action, label: string, icon: typeof Radio) => {
    const Icon = icon
    return (
      <Button look="secondary" size="small" aria-label={`${label}: ${name}`} onClick={() => onAct(action)}>
        <Icon aria-hidden /> {label}
      </Button>
    )
  }
  return (
    <>
      {kind === 'webhook' && button('address', 'Address', Link2)}
      {isPublic(strategy)
        ? button('withdraw', 'Withdraw', Undo2)
        : signals_on
          ? button('off', 'Switch signals off', Radio)
          : button('on', 'Switch signals on', Radio)}
      {!published && button('publish', 'Publish', Send)}
    </>
  )
}

const TITLES: Record<Action, string> = {
  on: 'Switch signals on?',
  off: 'Switch signals off?',
  publish: 'Publish this strategy',
  withdraw: 'Withdraw this strategy?',
  address: 'Address for signals',
  archive: 'Archive this strategy?',
}

/** What asks about an action, and does it. */
export function useActions() {
  const [asked, setAsked] = useState<Asked>()
  const [isOpen, setIsOpen] = useState(false)
  const onClose = () => setIsOpen(false)
  const act = (strategy: OwnStrategy) => (action: Action) => {
    setAsked({ strategy, action })
    setIsOpen(true)
  }
  const dialog = (
    <Modal
      open={isOpen}
      onClose={onClose}
      title={asked ? TITLES[asked.action] : ''}
      wide={asked?.action === 'address' || asked?.action === 'publish'}
    >
      {asked && <Ask asked={asked} onClose={onClose} />}
    </Modal>
  )
  return { act, dialog }
}

function Ask({ asked: { strategy, action }, onClose }: { asked: Asked; onClose: () => void }) {
  if (action === 'publish') return <Publish strategy={strategy} onClose={onClose} />
  if (action === 'address') return <Address strategy={strategy} onClose={onClose} />
  const { confirm, act, text, isEnd } = QUESTIONS[action]
  return (
    <Question
      confirm={confirm}
      look={isEnd ? 'danger' : 'primary'}
      act={() => act({ id: strategy.id })}
      onClose={onClose}
    >
      <p className={styles.title}>{(action === 'withdraw' && strategy.published?.name) || strategy.name}</p>
      <p>{text(strategy)}</p>
    </Question>
  )
}

interface Words {
  confirm: string
  /** It ends something. */
  isEnd: boolean
  act: (params: { id: string }) => Promise<{ message: string }>
  text: (strategy: OwnStrategy) => string
}

const QUESTIONS: Record<Exclude<Action, 'publish' | 'address'>, Words> = {
  on: {
    ...{ confirm: 'Switch on', isEnd: false },
    act: (params) => call('PUT /strategies/:id/signals', { params, body: { on: true } }),
    text: () =>
      `Each signal is recorded before its outcome in the public chain, sealed so that nobody else can read it. Automatic trades can only follow a strategy whose signals are on. At most ${OWN_STRATEGIES.recorded} strategies at once.`,
  },
  off: {
    ...{ confirm: 'Switch off', isEnd: true },
    act: (params) => call('PUT /strategies/:id/signals', { params, body: { on: false } }),
    text: () => 'Nothing more is recorded, and automatic trades that follow it stop. What was recorded stays.',
  },
  withdraw: {
    ...{ confirm: 'Withdraw', isEnd: true },
    act: (params) => call('DELETE /strategies/:id/publish', { params }),
    text: () =>
      "Its signals are sealed from now on, and automatic trades that follow it stop. Its public record stays. You can't publish this strategy again, and nobody can use the name.",
  },
  archive: {
    ...{ confirm: 'Archive', isEnd: true },
    act: (params) => call('DELETE /strategies/:id', { params }),
    text: (strategy) =>
      [
        "It leaves your list, and you can't bring it back.",
        ...(strategy.signals_on ? ['Its signals end, and automatic trades that follow it stop.'] : []),
        ...(isPublic(strategy) ? ["It's withdrawn; its public record stays."] : []),
        ...(strategy.kind === 'rule' ? ['You can build the same rule again.'] : []),
      ].join(' '),
  },
}
