import { useQuery } from '@tanstack/react-query'
import { Save } from 'lucide-react'
import { type FormEvent, useId, useState } from 'react'
import { TAG_LENGTH, TAGS_PER_TRADE, TRADE_NOTE_LENGTH } from '#contract/terms.ts'
import { call, noteTrade, problemOf, queryClient, queryOf, type Trade, useRequest } from '#web/api/index.ts'
import { Alert, Button, Field, ListError, Textarea, toast } from '#web/ui/index.ts'
import styles from './trade-note.module.css'

/** Returns the tags of a text with commas, each once. */
const tagsIn = (text: string): string[] => [
  ...new Set(
    text
      .split(',')
      .map((tag) => tag.trim())
      .filter(Boolean),
  ),
]

/** Returns what is wrong with tags, by the rules of the server; undefined if nothing is. */
function problemOfTags(tags: readonly string[]): string | undefined {
  if (tags.length > TAGS_PER_TRADE) return `must be at most ${TAGS_PER_TRADE}`
  return tags.some((tag) => tag.length > TAG_LENGTH) ? `must have at most ${TAG_LENGTH} characters each` : undefined
}

/** The trader's own note and tags of a trade. */
export function TradeNote({ trade, isOpen }: { trade: Trade; isOpen: boolean }) {
  const { trade_id, mode } = trade
  // Where the trade came from the stream, it has no note yet.
  const stored = useQuery({
    ...queryOf('GET /trading/:trade_id', { params: { trade_id } }),
    enabled: isOpen && trade.tags === undefined,
  })
  const known = useQuery({ ...queryOf('GET /trading/tags', { query: { mode } }), enabled: isOpen })
  const problem = problemOf(stored)
  // Saving without what is stored would replace it.
  if (problem) return <ListError {...problem} />
  if (trade.tags === undefined && stored.isPending) return <p className={styles.loading}>Loading your note…</p>
  const { note = '', tags = [] } = trade.tags === undefined ? (stored.data?.data ?? {}) : trade
  return (
    <NoteForm
      key={`${note}\n${tags.join()}`}
      tradeId={trade_id}
      note={note}
      tags={tags}
      known={known.data?.data ?? []}
    />
  )
}

interface NoteFormProps {
  tradeId: string
  note: string
  tags: readonly string[]
  /** The tags of the trader's other trades. */
  known: readonly string[]
}

function NoteForm({ tradeId, note, tags, known }: NoteFormProps) {
  const [text, setText] = useState(note)
  const [typed, setTyped] = useState(tags.join(', '))
  const { loading, error, run } = useRequest()
  const list = useId()
  const wanted = tagsIn(typed)
  const problem = problemOfTags(wanted)
  const before = typed.slice(0, typed.lastIndexOf(',') + 1)
  function save(event: FormEvent) {
    event.preventDefault()
    if (problem !== undefined) return
    void run(async () => {
      const { data } = await call('PUT /trading/:trade_id/note', {
        params: { trade_id: tradeId },
        body: { note: text, tags: wanted },
      })
      noteTrade(tradeId, data)
      for (const read of ['GET /trading', 'GET /trading/:trade_id', 'GET /trading/tags', 'GET /trading/statistics'])
        void queryClient.invalidateQueries({ queryKey: [read] })
      toast.success('Note saved')
    })
  }
  return (
    <form className={styles.form} noValidate onSubmit={save}>
      <Alert>{error}</Alert>
      <Textarea
        label="Note"
        maxLength={TRADE_NOTE_LENGTH}
        value={text}
        onChange={(event) => setText(event.target.value)}
        hint={`${text.length} of ${TRADE_NOTE_LENGTH} characters. Only you see it.`}
      />
      <Field
        label="Tags"
        list={list}
        autoComplete="off"
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        error={problem}
        hint={`Up to ${TAGS_PER_TRADE}, with commas between them`}
      />
      <datalist id={list}>
        {known
          .filter((tag) => !wanted.includes(tag))
          .map((tag) => (
            <option key={tag} value={`${before}${before && ' '}${tag}`} />
          ))}
      </datalist>
      <Button type="submit" look="secondary" loading={loading}>
        <Save aria-hidden />
        Save note
      </Button>
    </form>
  )
}
