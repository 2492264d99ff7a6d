import { MessageCircle, SendHorizontal, X } from 'lucide-react'
import { type FormEvent, type KeyboardEvent, useEffect, useId, useRef, useState, useSyncExternalStore } from 'react'
import type { ChatMessage } from '#contract/messages/chat.ts'
import { TYPING_MS } from '#contract/messages/chat.ts'
import { Button, cx, Field, formatTime } from '#web/ui/index.ts'
import { conversation } from './browser.ts'
import styles from './chat-panel.module.css'
import type { ConversationState } from './conversation.ts'

/** How often a typing indicator is sent. */
const SAY_TYPING_MS = 2_000
const LONGEST = 4_000

/**
 * The chat panel: the messages and an input field. It is non-modal; Escape closes it. Screen readers announce new
 * messages (a log). `focus`: the user has just opened it.
 */
export function ChatPanel({ focus, onClose }: { focus: boolean; onClose: () => void }) {
  const state = useSyncExternalStore(conversation.onChange, conversation.state, conversation.state)
  const problemId = useId()
  const log = useRef<HTMLDivElement>(null)
  const field = useRef<HTMLTextAreaElement>(null)
  const saidTyping = useRef(Number.NEGATIVE_INFINITY)

  useEffect(() => {
    conversation.show(true)
    if (focus) field.current?.focus()
    return () => conversation.show(false)
  }, [focus])

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new message triggers the scroll
  useEffect(() => {
    log.current?.scrollTo({ top: log.current.scrollHeight })
  }, [state.messages, state.waiting, state.typing])

  useEffect(() => {
    if (state.typing === 0) return
    const timer = setTimeout(conversation.stopTyping, TYPING_MS)
    return () => clearTimeout(timer)
  }, [state.typing])

  function say(event?: FormEvent) {
    event?.preventDefault()
    conversation.speak()
    saidTyping.current = Number.NEGATIVE_INFINITY
    field.current?.focus()
  }
  function onKey(event: KeyboardEvent) {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
    event.preventDefault()
    say()
  }
  function onType(value: string) {
    conversation.type(value)
    if (value === '' || performance.now() - saidTyping.current < SAY_TYPING_MS) return
    saidTyping.current = performance.now()
    conversation.writes()
  }

  const hasWords = state.messages.length > 0 || state.waiting.length > 0
  return (
    <section
      className={styles.panel}
      role="dialog"
      aria-label="Live Chat"
      onKeyDown={(event) => event.key === 'Escape' && onClose()}
    >
      <Head state={state} onClose={onClose} />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling area must be reachable by keyboard */}
      <div className={styles.log} ref={log} role="log" aria-label="Messages" tabIndex={0}>
        <Log state={state} />
      </div>
      {hasWords && state.known && state.desk === 'away' && <ByMail state={state} />}
      <form className={styles.say} onSubmit={say}>
        {state.problem && (
          <p id={problemId} className={styles.problem} role="alert">
            {state.problem}
          </p>
        )}
        <textarea
          ref={field}
          className={styles.field}
          aria-label="Your message"
          placeholder="Write a message"
          rows={2}
          maxLength={LONGEST}
          aria-invalid={state.problem !== ''}
          aria-describedby={state.problem === '' ? undefined : problemId}
          value={state.typed}
          onChange={(event) => onType(event.target.value)}
          onKeyDown={onKey}
        />
        <Button type="submit" icon aria-label="Send" disabled={state.typed.trim() === ''}>
          <SendHorizontal aria-hidden />
        </Button>
      </form>
    </section>
  )
}

function presence({ connected, known, desk, operator }: ReturnType<typeof conversation.state>): string {
  if (!connected || !known) return 'Connecting…'
  if (desk === 'away') return "We're away and reply by e-mail"
  return operator === null ? "We're online" : `You're chatting with ${operator}`
}

function Said({
  message,
  before,
  operator,
}: {
  message: ChatMessage
  before: ChatMessage | undefined
  operator: string | null
}) {
  const mine = message.from === 'you'
  return (
    <div className={cx(styles.said, mine && styles.byMe)}>
      {before?.from !== message.from && (
        <p className={styles.by}>
          {mine ? 'You' : (operator ?? 'Support')},{' '}
          <time dateTime={message.at}>{formatTime(message.at).slice(0, 5)}</time>
        </p>
      )}
      <p className={cx(styles.words, mine && styles.mine)}>{message.text}</p>
    </div>
  )
}

/** Says where the reply goes when no operator is online. */
function ByMail({ state: { email, emailProblem } }: { state: ConversationState }) {
  const [typed, setTyped] = useState('')
  if (email !== null) return <p className={styles.mail}>We'll reply to {email}, and here.</p>
  function leave(event: FormEvent) {
    event.preventDefault()
    conversation.leaveEmail(typed)
  }
  return (
    <form className={styles.mail} noValidate onSubmit={leave}>
      <Field
        label="Email"
        type="email"
        autoComplete="email"
        hint="We're away right now. Where should we reply?"
        {...(emailProblem && { error: emailProblem })}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
      />
      <Button type="submit" look="secondary">
        Reply to this address
      </Button>
    </form>
  )
}

function Head({ state, onClose }: { state: ConversationState; onClose: () => void }) {
  return (
    <div className={styles.head}>
      <MessageCircle aria-hidden />
      <div>
        <h2 className={styles.title}>Live Chat</h2>
        <p className={styles.presence}>
          <span className={cx(styles.dot, state.connected && state.desk === 'here' && styles.here)} aria-hidden />
          {presence(state)}
        </p>
      </div>
      <Button look="quiet" icon aria-label="Close" onClick={onClose}>
        <X aria-hidden />
      </Button>
    </div>
  )
}

function Log({ state }: { state: ConversationState }) {
  return (
    <>
      {state.messages.length === 0 && state.waiting.length === 0 && (
        <p className={styles.hello}>
          {state.known && state.desk === 'away'
            ? "We're away right now. Leave a message: we'll reply by e-mail, and here once we're back."
            : 'Hello. Ask us anything about the platform, your account or a trade.'}
        </p>
      )}
      {state.messages.map((message, n) => (
        <Said key={message.id} message={message} before={state.messages[n - 1]} operator={state.operator} />
      ))}
      {state.waiting.map((words, n) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: pending messages have no other key and keep their order
        <p key={n} className={cx(styles.words, styles.mine, styles.waiting)}>
          {words}
        </p>
      ))}
      {state.status === 'Closed' && (
        <p className={styles.note}>This conversation is closed. Send a message to reopen it.</p>
      )}
      {state.typing > 0 && <p className={styles.note}>{state.operator ?? 'Support'} is typing…</p>}
    </>
  )
}
