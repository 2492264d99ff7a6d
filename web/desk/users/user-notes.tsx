import { useState } from 'react'
import type { DeskUserPicture } from '#contract/desk/people/users.ts'
import { PAGES } from '#contract/desk/terms.ts'
import { LENGTH } from '#contract/fields.ts'
import { Alert, Button, Card, formatDateTime, Textarea } from '#web/ui/index.ts'
import { call } from '../api.ts'
import { useAction } from '../parts/use-action.ts'
import { useMay } from '../session.ts'
import styles from './user-page.module.css'

/** The desk's notes about a user; the user never sees them. */
export function UserNotes({ userId, notes }: { userId: string; notes: DeskUserPicture['notes'] }) {
  const may = useMay(PAGES.users.writesNotes)
  const [text, setText] = useState('')
  const { loading, error, errorOf, act } = useAction()
  async function write() {
    const done = await act(async () => {
      await call('POST /desk/users/:id/notes', { params: { id: userId }, body: { text: text.trim() } })
      return 'Note saved.'
    })
    if (done) setText('')
  }
  return (
    <Card>
      {may && (
        <div className={styles.form}>
          <Alert>{error}</Alert>
          <Textarea
            label="New note"
            error={errorOf('text')}
            hint="Only operators see this."
            maxLength={LENGTH.message}
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
          <div>
            <Button loading={loading} disabled={text.trim() === ''} onClick={() => void write()}>
              Save note
            </Button>
          </div>
        </div>
      )}
      {notes.length === 0 && <p className={styles.quiet}>No notes yet.</p>}
      <ul className={styles.notes}>
        {notes.map((note) => (
          <li key={note.id}>
            <p className={styles.note}>{note.text}</p>
            <p className={styles.quiet}>
              {note.email}, {formatDateTime(note.at)}
            </p>
          </li>
        ))}
      </ul>
    </Card>
  )
}
