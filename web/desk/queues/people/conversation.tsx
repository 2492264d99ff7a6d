import { useQuery } from '@tanstack/react-query'
import { type FormEvent, type KeyboardEvent, useEffect, useRef, useState } from 'react'
import type { DeskChat } from '#contract/desk/people/chats.ts'
import { messageOf, problemOf, refusedFields } from '#web/client/index.ts'
import { Alert, Button, cx, Fact, Facts, formatDateTime, ListError, refusalOf, Textarea } from '#web/ui/index.ts'
import { call, queryOf, readAllAgain } from '../../api.ts'
import { PersonFact } from '../../parts/person-fact.tsx'
import styles from './conversation.module.css'

/** An open conversation is reloaded often enough to feel live. */
const LIVE_MS = 800
const SAY_TYPING_MS = 2_000

/** A live chat: the visitor, the messages, and the reply field. */
export function Conversation({ chat, may }: { chat: DeskChat; may: boolean }) {
  const params = { id: chat.id }
  const live = useQuery(queryOf('GET /desk/chats/:id', { params }, chat.status === 'Open' ? LIVE_MS : undefined))
  const problem = problemOf(live)
  const found = live.data?.data
  const log = useRef<HTMLDivElement>(null)
  const count = found?.messages.length

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new message triggers the scroll
  useEffect(() => {
    log.current?.scrollTo({ top: log.current.scrollHeight })
  }, [count, found?.typing])

  const here = found?.here ?? chat.here
  const mayAnswer = may && chat.status === 'Open' && !chat.own && (chat.claimed_by?.mine ?? true)
  return (
    <div className={styles.conversation}>
      <Facts>
        {chat.email === '' ? <Fact name="Visitor">{chat.name}</Fact> : <PersonFact {...chat} />}
        <Fact name="Since">{formatDateTime(chat.created_at)}</Fact>
        <Fact name="Status">
          {here ? 'Online' : chat.email === '' ? 'Offline, no e-mail address' : 'Offline; replies are also e-mailed'}
        </Fact>
      </Facts>
      {problem && <ListError {...problem} />}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling area must be reachable by keyboard */}
      <div className={styles.log} ref={log} role="log" aria-label="Conversation" tabIndex={0}>
        {found?.messages.map((message) => (
          <div key={message.id} className={cx(styles.said, message.from === 'desk' && styles.byDesk)}>
            <p className={styles.by}>
              {message.operator ?? (chat.email || chat.name)}, {formatDateTime(message.at)}
            </p>
            <p className={styles.words}>{message.text}</p>
          </div>
        ))}
        {found?.typing && <p className={styles.by}>{chat.email || chat.name} is typing …</p>}
      </div>
      {mayAnswer && <Answer id={chat.id} />}
    </div>
  )
}

function Answer({ id }: { id: string }) {
  const [text, setText] = useState('')
  const [state, setState] = useState<{ loading: boolean; error?: string; refused?: Record<string, string> }>({
    loading: false,
  })
  const saidTyping = useRef(Number.NEGATIVE_INFINITY)

  async function answer(event?: FormEvent) {
    event?.preventDefault()
    const words = text.trim()
    if (words === '' || state.loading) return
    setState({ loading: true })
    try {
      await call('POST /desk/chats/:id/reply', { params: { id }, body: { text: words } })
      setText('')
      saidTyping.current = Number.NEGATIVE_INFINITY
      setState({ loading: false })
    } catch (error) {
      setState({ loading: false, error: messageOf(error), refused: refusedFields(error) })
    }
    await readAllAgain()
  }
  function onKey(event: KeyboardEvent) {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
    event.preventDefault()
    void answer()
  }
  function onType(value: string) {
    setText(value)
    if (value === '' || performance.now() - saidTyping.current < SAY_TYPING_MS) return
    saidTyping.current = performance.now()
    // A lost typing indicator does no harm.
    call('POST /desk/chats/:id/typing', { params: { id } }).catch(() => undefined)
  }
  return (
    <form className={styles.answer} onSubmit={answer}>
      <Alert>{state.error}</Alert>
      <Textarea
        label="Reply"
        hint="Enter sends, Shift+Enter starts a new line."
        maxLength={4_000}
        error={refusalOf(state.refused, 'text')}
        value={text}
        onChange={(event) => onType(event.target.value)}
        onKeyDown={onKey}
      />
      <Button type="submit" loading={state.loading} disabled={text.trim() === ''}>
        Send
      </Button>
    </form>
  )
}
